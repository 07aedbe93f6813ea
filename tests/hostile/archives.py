# tests/hostile/archives.py - archives that lie, as seeds: names that begin with "good"
# must be read, those with "limit" must stop at a limit, all others may be refused.
import gzip
import struct

import images
import packing as p

PICTURE = images.ppm()
NAMES = [b"a/1.ppm", b"a/2.ppm", b"b/1.ppm", b"b/2.ppm"]
EVIL = b"hostile-was-written"  # no file of that name may ever appear


def good_tar():
    return b"".join(p.tar_member(n, PICTURE) for n in NAMES) + p.tar_end()


def with_good(*members):
    return b"".join(members) + good_tar()


def tars():
    out = {"good": good_tar(), "empty": b"", "end_only": p.tar_end()}
    bad_names = {
        "up": b"../" + EVIL + b".ppm", "up_deep": b"a/../../../" + EVIL + b".ppm",
        "absolute": b"/tmp/" + EVIL + b".ppm", "backslash": b"..\\" + EVIL + b".ppm", "dots": b"a/./../x.ppm",
        "control": b"a/x\x07\x1b[31my.ppm", "newline": b"a/x\ny.ppm", "latin": b"a/\xe4\xf6.ppm",
        "half": b"a/\xed\xa0\x80.ppm", "empty_name": b"", "slash": b"/", "colon": b"c:\\x.ppm",
    }
    for key, name in bad_names.items():
        out["name_" + key] = with_good(p.tar_member(name, PICTURE))
    for key, name in (("name", b"a/" + b"n" * 300 + b".ppm"), ("path", b"d/" * 3000 + b"x.ppm"),
                      ("huge", b"x" * 900000)):
        out["long_" + key] = with_good(p.tar_long(name, PICTURE))
    out["long_link_size"] = with_good(p.tar_header(b"././@LongLink", 2**40, b"L"))
    for key, target in (("out", b"../../etc/passwd"), ("absolute", b"/etc/passwd"), ("self", b"a/l.ppm"),
                        ("folder", b"a"), ("nothing", b"a/none.ppm")):
        out["symlink_" + key] = with_good(p.tar_member(b"a/l.ppm", b"", b"2", target))
        out["hardlink_" + key] = with_good(p.tar_member(b"a/l.ppm", b"", b"1", target))
    out["link_then_file"] = with_good(p.tar_member(b"a/d", b"", b"2", b"/tmp"),
                                      p.tar_member(b"a/d/" + EVIL + b".ppm", PICTURE))
    out["link_circle"] = with_good(p.tar_member(b"a/x.ppm", b"", b"2", b"y.ppm"),
                                   p.tar_member(b"a/y.ppm", b"", b"2", b"x.ppm"))
    for kind in b"34567VMNDS\0z":
        out["kind_%02x" % kind] = with_good(p.tar_member(b"a/k.ppm", PICTURE, bytes([kind])))
    for size in (2**33, 2**62, 2**63 - 1, 2**63):
        out["size_%x" % size] = p.tar_header(b"a/1.ppm", size) + PICTURE
        out["skip_%x" % size] = with_good(p.tar_header(b"readme.txt", size))
    out["size_negative"] = with_good(
        bytes(p.tar_header(b"a/n.ppm", 0)[:124] + b"\xff" * 12 + p.tar_header(b"a/n.ppm", 0)[136:]))
    out["twice"] = with_good(p.tar_member(NAMES[0], PICTURE))
    out["twice_case"] = with_good(p.tar_member(NAMES[0].upper(), PICTURE))
    out["file_and_folder"] = with_good(p.tar_member(b"a", PICTURE))
    out["deep"] = with_good(p.tar_member(b"/".join([b"d"] * 45) + b"/x.ppm", PICTURE))
    wrong = bytearray(p.tar_member(b"a/w.ppm", PICTURE))
    wrong[148:156] = b"000000\0 "
    out["checksum"] = with_good(bytes(wrong))
    for key, fields in (("path", {b"path": b"../" + EVIL}), ("size", {b"size": b"9" * 30}),
                        ("nul", {b"path": b"a/\0x.ppm"}), ("huge", {b"comment": b"x" * 900000}),
                        ("sparse", {b"GNU.sparse.major": b"1", b"GNU.sparse.minor": b"0",
                                    b"GNU.sparse.realsize": b"%d" % 2**50, b"GNU.sparse.name": b"a/s.ppm"})):
        body = b"1\n0\n%d\n" % 2**40 + bytes(600) if key == "sparse" else PICTURE
        out["pax_" + key] = with_good(p.tar_pax(fields, b"a/p.ppm", body))
    old = bytearray(p.tar_header(b"a/s.ppm", 512, b"S", magic=b"ustar  \0"))
    old[386:410] = p.tar_number(0, 12) + p.tar_number(512, 12)
    old[483:495] = p.tar_number(2**50, 12)
    old[148:156] = b" " * 8
    old[148:156] = b"%06o\0 " % sum(old)
    out["sparse_old"] = with_good(bytes(old) + bytes(512))
    many = b"1000000\n" + b"0\n0\n" * 1000000
    out["sparse_map"] = with_good(p.tar_pax({b"GNU.sparse.major": b"1", b"GNU.sparse.minor": b"0",
                                             b"GNU.sparse.realsize": b"9", b"GNU.sparse.name": b"a/s.ppm"},
                                            b"a/p.ppm", many))
    out["cut"] = good_tar()[:1300]
    out["cut_header"] = good_tar()[:300]
    return {name + ".tar": data for name, data in out.items()}


def zips():
    member = p.zip_member
    good = [member(n, PICTURE) for n in NAMES]
    out = {
        "good": p.zip_file(good), "good_stored": p.zip_file([member(n, PICTURE, 0) for n in NAMES]),
        "good_prefix": b"prefix" * 100 + p.zip_file(good), "up": p.zip_file([member(b"../" + EVIL, PICTURE), *good]),
        "absolute": p.zip_file([member(b"/tmp/" + EVIL + b".ppm", PICTURE), *good]),
        "crc": p.zip_file([member(b"a/c.ppm", PICTURE, crc=1), *good]),
        "encrypted": p.zip_file([member(b"a/e.ppm", PICTURE, flags=1), *good]),
        "later": p.zip_file([member(b"a/l.ppm", PICTURE, flags=8), *good]),
        "none": p.zip_file([]), "twice": p.zip_file([*good, good[0]]),
        "control": p.zip_file([member(b"a/\x1b[2Jx.ppm", PICTURE), *good]),
        "no_end": p.zip_file(good)[:-22], "comment": p.zip_file(good, b"PK\5\6" * 4000),
        "nested": p.zip_file([member(b"a/in.zip", p.zip_file(good)), *good]),
    }
    for method in (1, 6, 9, 12, 14, 93, 95, 98, 99):
        out["method%d" % method] = p.zip_file([(b"a/m.ppm", method, PICTURE, 0, len(PICTURE), 0), *good])
    name, method, raw, crc, size, flags = good[0]
    for lie in (0, 2**31, 2**32 - 1):
        out["size_%x" % lie] = p.zip_file([(name, method, raw, crc, lie, flags)] + good[1:])
    out["overlap"] = overlapping()
    return {name + ".zip": data for name, data in out.items()}


def overlapping():
    """200 members of 1 MiB, which are the same kilobyte of the file."""
    name, method, raw, crc, size, flags = p.zip_member(b"a/000.ppm", bytes(1 << 20))
    one = p.zip_file([(name, method, raw, crc, size, flags)])
    body, entry = one[:one.index(b"PK\1\2")], one[one.index(b"PK\1\2"):one.index(b"PK\5\6")]
    entries = b"".join(entry.replace(b"a/000", b"a/%03d" % k) for k in range(200))
    return body + entries + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 200, 200, len(entries), len(body), 0)


def packed():
    out = {}
    for ending, pack in p.PACKINGS.items():
        data = pack(good_tar())
        name = "good" if ending != "lzma" else "other"
        out[f"{name}.tar.{ending}"] = data
        out[f"cut.tar.{ending}"] = data[:len(data) // 2]
        out[f"void.tar.{ending}"] = pack(b"")
        out[f"text.tar.{ending}"] = pack(b"no archive at all\n" * 100)
        out[f"behind.tar.{ending}"] = data + b"something else"
        for inner, again in p.PACKINGS.items():
            name = "good" if "lzma" not in (ending, inner) else "other"
            out[f"{name}.tar.{inner}.{ending}"] = pack(again(good_tar()))
        out[f"limit_layers.tar.{ending}"] = pack(p.PACKINGS["gz"](p.PACKINGS["gz"](good_tar())))
        for foreign, magic in p.FOREIGN.items():
            out[f"{foreign}.tar.{ending}"] = pack(magic + good_tar())
    del out["limit_layers.tar.lzma"]  # not a packing that is known
    for foreign, magic in p.FOREIGN.items():
        out[f"foreign.{foreign}"] = magic + good_tar()
    out["cpio.cpio"] = p.cpio_file([(n, PICTURE) for n in NAMES])
    deep = good_tar()
    for _ in range(30):
        deep = p.PACKINGS["gz"](deep)
    out["limit_deep.tar.gz"] = deep
    return out


def bombs():
    """A few kilobytes each, which would become gigabytes."""
    head = p.tar_header(b"readme.txt", 20 << 30)
    runs = p.zstd_runs([(b"\0", 20 << 30)])
    skipped = p.zstd_frame(p.zstd_raw(head) + runs + p.zstd_raw(good_tar()))
    wanted = p.zstd_frame(p.zstd_raw(p.tar_header(b"a/1.ppm", 200 << 20)) + p.zstd_runs([(b"\0", 200 << 20)]))
    zeros = gzip.compress(bytes(8 << 20), 9, mtime=0)
    members = p.zstd_frame(b"") * 1000
    out = {
        "limit_skipped.tar.zst.gz": gzip.compress(skipped, 9, mtime=0), "limit_wanted.tar.zst": wanted,
        "limit_zeros.tar.gz": gzip.compress(p.tar_header(b"a/1.ppm", 200 << 20), mtime=0) + zeros * 20,
        # Two layers, of which the outer one holds nothing but empty streams.
        "limit_void.tar.zst.gz": (gzip.compress(members, 9, mtime=0) * 20000)[:4 << 20],
        # A map of a sparse file that is longer than all else.
        "map.tar.gz": gzip.compress(
            p.tar_pax({b"GNU.sparse.major": b"1", b"GNU.sparse.minor": b"0", b"GNU.sparse.realsize": b"9",
                       b"GNU.sparse.name": b"a/s.ppm"}, b"a/p.ppm", b"20000000\n" + b"0\n0\n" * 20000000), 9, mtime=0),
        "limit_zip.zip": p.zip_file([p.zip_member(b"a/1.ppm", bytes(200 << 20))]),
    }
    return out


def seeds():
    return {**tars(), **zips(), **packed()}
