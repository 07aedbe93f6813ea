# tests/hostile/packing.py - archives and compressed streams written byte by byte, also
# such as no honest program writes. Python's standard library alone.
import bz2
import gzip
import lzma
import struct
import zlib

BLOCK = 512


def tar_number(value, width):
    if value < 8 ** (width - 1):
        return b"%0*o\0" % (width - 1, value)
    return b"\x80" + value.to_bytes(width - 1, "big")  # base 256


def tar_header(name, size, kind=b"0", link=b"", mode=0o644, magic=b"ustar\x0000"):
    head = bytearray(BLOCK)
    head[0:100] = name[:100].ljust(100, b"\0")
    head[100:108] = b"%07o\0" % mode
    head[108:116] = head[116:124] = b"0000000\0"
    head[124:136] = tar_number(size, 12)
    head[136:148] = b"00000000000\0"
    head[148:156] = b" " * 8
    head[156:157] = kind
    head[157:257] = link[:100].ljust(100, b"\0")
    head[257:265] = magic
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


def tar_member(name, data=b"", kind=b"0", link=b"", **more):
    return tar_header(name, len(data), kind, link, **more) + data + b"\0" * (-len(data) % BLOCK)


def tar_long(name, data):
    """A member whose name is longer than a header has room for, as GNU tar writes it."""
    return tar_member(b"././@LongLink", name + b"\0", b"L") + tar_member(name[:100], data)


def tar_pax(fields, name, data, **more):
    rows = b""
    for key, value in fields.items():
        length = len(key) + len(value) + 3
        while len(str(length)) + len(key) + len(value) + 3 != length:
            length = len(str(length)) + len(key) + len(value) + 3
        rows += b"%d %s=%s\n" % (length, key, value)
    return tar_member(b"pax", rows, b"x") + tar_member(name, data, **more)


def tar_end():
    return b"\0" * (2 * BLOCK)


def zip_file(members, comment=b""):
    """members: (name, method, raw bytes as stored, crc, real size, flags)"""
    out, central = b"", b""
    for name, method, raw, crc, size, flags in members:
        head = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 0x21, crc, len(raw) & 0xFFFFFFFF,
                           size & 0xFFFFFFFF, len(name), 0)
        central += (b"PK\1\2" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name)
        out += b"PK\3\4" + head + name + raw
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(central), len(out), len(comment))
    return out + central + b"PK\5\6" + end + comment


def zip_member(name, data, method=8, flags=0, crc=None):
    if method == 8:
        squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
        raw = squeeze.compress(data) + squeeze.flush()
    else:
        raw = data
    return (name, method, raw, zlib.crc32(data) if crc is None else crc, len(data), flags)


def cpio_file(members):
    out = b""
    for name, data in [*members, (b"TRAILER!!!", b"")]:
        fields = (1, 0o100644, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + name + b"\0"
        out += b"\0" * (-len(out) % 4) + data
        out += b"\0" * (-len(out) % 4)
    return out


def zstd_runs(runs):
    """A Zstandard frame of blocks (byte, count): a byte repeated, at most 128 KiB a block."""
    out, most = b"", 128 << 10
    for byte, count in runs:
        full, rest = divmod(count, most)
        out += (struct.pack("<I", most << 3 | 1 << 1)[:3] + byte) * full
        if rest:
            out += struct.pack("<I", rest << 3 | 1 << 1)[:3] + byte
    return out


def zstd_raw(data):
    out, most = b"", 64 << 10
    for at in range(0, len(data), most):
        piece = data[at:at + most]
        out += struct.pack("<I", len(piece) << 3)[:3] + piece
    return out


def zstd_frame(blocks):
    # No single segment, window of 128 KiB, and an empty last block.
    return b"\x28\xb5\x2f\xfd\x00\x38" + blocks + b"\x01\0\0"


def xxh32(data, seed=0):
    """Of fewer than 16 bytes, as the header of an lz4 frame has them."""
    prime = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
    h = (seed + prime[4] + len(data)) & 0xFFFFFFFF
    at = 0
    while at + 4 <= len(data):
        h = (h + int.from_bytes(data[at:at + 4], "little") * prime[2]) & 0xFFFFFFFF
        h = ((h << 17 | h >> 15) & 0xFFFFFFFF) * prime[3] & 0xFFFFFFFF
        at += 4
    for byte in data[at:]:
        h = (h + byte * prime[4]) & 0xFFFFFFFF
        h = ((h << 11 | h >> 21) & 0xFFFFFFFF) * prime[0] & 0xFFFFFFFF
    h = (h ^ h >> 15) * prime[1] & 0xFFFFFFFF
    h = (h ^ h >> 13) * prime[2] & 0xFFFFFFFF
    return h ^ h >> 16


def lz4_frame(data):
    descriptor = b"\x60\x40"  # independent blocks of 64 KiB, no sums
    out = b"\x04\x22\x4d\x18" + descriptor + bytes([xxh32(descriptor) >> 8 & 0xFF])
    for at in range(0, len(data), 64 << 10):
        piece = data[at:at + (64 << 10)]
        out += struct.pack("<I", len(piece) | 1 << 31) + piece
    return out + b"\0\0\0\0"


def lzip_file(data):
    raw = lzma.compress(data, lzma.FORMAT_ALONE, preset=1)[13:]
    out = b"LZIP\x01\x14" + raw
    return out + struct.pack("<IQQ", zlib.crc32(data), len(data), len(out) + 20)


PACKINGS = {
    "gz": lambda d: gzip.compress(d, 1, mtime=0),
    "bz2": lambda d: bz2.compress(d, 1),
    "xz": lambda d: lzma.compress(d, preset=0),
    "zst": lambda d: zstd_frame(zstd_raw(d)),
    "lz4": lz4_frame,
    "lz": lzip_file,
    "lzma": lambda d: lzma.compress(d, lzma.FORMAT_ALONE, preset=0),
}

# What makes libarchive start a program, or take a filter or format that is not wanted.
FOREIGN = {
    "grz": b"GRZipII\x00\x02\x04:)",
    "lrz": b"LRZI\x00\x05" + b"\0" * 30,
    "lzo": b"\x89LZO\x00\r\n\x1a\n" + b"\x10\x40" + b"\0" * 40,
    "Z": b"\x1f\x9d\x90" + b"\0" * 20,
    "uu": b"begin 644 a\n#9F]O\n`\nend\n",
    "rpm": b"\xed\xab\xee\xdb\x03\x00" + b"\0" * 100,
    "7z": b"7z\xbc\xaf\x27\x1c\x00\x04" + b"\0" * 24,
    "rar": b"Rar!\x1a\x07\x01\x00" + b"\0" * 24,
    "cab": b"MSCF\0\0\0\0" + b"\0" * 40,
    "ar": b"!<arch>\n" + b"a.png/          0           0     0     644     4         `\nabcd",
    "mtree": b"#mtree\n./a.png type=file contents=/etc/passwd\n",
    "shar": b"#!/bin/sh\ntouch started\n",
}
