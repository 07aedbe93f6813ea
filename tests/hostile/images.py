# tests/hostile/images.py - small images of every format that is read, written byte by
# byte, and headers that lie.
import os
import struct
import zlib


def ppm(width=8, height=8, kind=6, most=255, body=None):
    body = bytes(range(64)) * 3 if body is None else body
    return b"P%d\n%d %d\n%d\n" % (kind, width, height, most) + body


def bmp(width=4, height=4, bits=24, compression=0, body=None, colours=0):
    body = bytes(48) if body is None else body
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, len(body), 0, 0, colours, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + info + body


def png_chunk(kind, data, crc=None):
    crc = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)


def png(width=8, height=8, depth=8, colour=2, interlace=0, rows=None, extra=b"", squeezed=None):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(colour, 3)
    line = 1 + (width * channels * depth + 7) // 8
    if squeezed is None:
        squeezed = zlib.compress(bytes(line * height) if rows is None else rows, 9)
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + extra + png_chunk(b"IDAT", squeezed) +
            png_chunk(b"IEND", b""))


def png_bomb(width, height):
    """One bit a pixel, all alike: a thousandth of a thousandth of its pixels."""
    squeeze = zlib.compressobj(9)
    line = bytes(1 + (width + 7) // 8)
    parts = [squeeze.compress(line * 100) for _ in range(height // 100)]
    return png(width, height, 1, 0, squeezed=b"".join(parts) + squeeze.flush())


def jpeg_segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


# One-bit codes: DC category 0 and AC end-of-block, so that a block is two zero bits.
DHT = b"".join(bytes([k << 4]) + b"\x01" + bytes(15) + b"\x00" for k in (0, 1))


def jpeg(width=16, height=16, frame=0xC0, components=3, scans=1, body=None, extra=b"", precision=8):
    sof = struct.pack(">BHHB", precision, height, width, components)
    sos = bytes([components])
    for c in range(components):
        sof += bytes([c + 1, 0x11, 0])
        sos += bytes([c + 1, 0])
    progressive = frame in (0xC2, 0xC6, 0xCA, 0xCE)
    sos += b"\0\0\0" if progressive else b"\0\x3f\0"
    blocks = ((width + 7) // 8) * ((height + 7) // 8) * components
    body = bytes(min(blocks, 1 << 16) // 4 + 1) if body is None else body
    out = b"\xff\xd8" + extra + jpeg_segment(0xDB, b"\0" + b"\1" * 64) + jpeg_segment(frame, sof)
    out += jpeg_segment(0xC4, DHT)
    for _ in range(scans):
        out += jpeg_segment(0xDA, sos) + body
    return out + b"\xff\xd9"


def exif(orientation):
    tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0" + struct.pack("<HH", orientation, 0) + b"\0\0\0\0"
    return jpeg_segment(0xE1, b"Exif\0\0" + tiff)


def webp_lossless(width=4, height=4, body=None):
    """The header of a lossless image; the body is for mutation, not for decoding."""
    bits = (width - 1) | (height - 1) << 14
    data = b"\x2f" + struct.pack("<I", bits) + (b"\x88\x88\x08" + bytes(20) if body is None else body)
    return riff(b"VP8L" + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2))


def webp_lossy(width=16, height=16):
    data = b"\x10\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(24)
    return riff(b"VP8 " + struct.pack("<I", len(data)) + data)


def webp_extended(width, height, flags, chunks):
    head = bytes([flags, 0, 0, 0]) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return riff(b"VP8X" + struct.pack("<I", 10) + head + chunks)


def riff(chunks):
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


def tiff(width=8, height=8, compression=1, body=bytes(192), strip_rows=None):
    """RGB in strips that all lie at the same place."""
    rows = strip_rows or height or 1
    strips = min((height + rows - 1) // rows, 100000) or 1
    tags = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, compression), (262, 3, 2), (277, 3, 3),
            (278, 4, rows)]
    head = 8 + 2 + 12 * (len(tags) + 2) + 4
    data = head + (8 * strips if strips > 1 else 0)
    places, sizes = (data, len(body)) if strips == 1 else (head, head + 4 * strips)
    entries = tags + [(273, 4, places), (279, 4, sizes)]
    out = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries))
    for tag, kind, value in sorted(entries):
        out += struct.pack("<HHII", tag, kind, strips if tag in (273, 279) else 1, value & 0xFFFFFFFF)
    out += bytes(4)
    if strips > 1:
        out += struct.pack("<I", data) * strips + struct.pack("<I", len(body)) * strips
    return out + body


def gif(width, height, frames=1):
    """A canvas of any size with frames of one pixel."""
    frame = b",\0\0\0\0\1\0\1\0\0\2\2D\1\0"
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\0\0\0\0\0\xff\xff\xff" + frame * frames + b";"


def resized(data, width, height):
    """HEIC or AVIF that claims another size."""
    at = data.find(b"ispe")
    return data[:at + 8] + struct.pack(">II", width, height) + data[at + 16:]


def other_formats():
    """What optional libraries read: made here, or from files that are sound."""
    golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/images")
    out = {}
    for name in sorted(os.listdir(golden)):
        if name.endswith((".gif", ".tif", ".heic", ".avif")):
            with open(os.path.join(golden, name), "rb") as file:
                out["sound_" + name] = file.read()
    for n in (0, 1, 9000, 16384, 65535, 2**31 - 1, 2**32 - 1):
        for compression in (1, 5, 7, 8, 32773, 34925, 50000, 50001):
            out[f"both{n}_{compression}.tif"] = tiff(n, n, compression)
        for name in [name for name in out if name.endswith((".heic", ".avif")) and name.startswith("sound")]:
            out[f"both{n}_{name}"] = resized(out[name], n, n)
        out[f"both{n}.gif"] = gif(n & 0xFFFF, n & 0xFFFF)
    out["zeros.tif"] = tiff(9900, 9900, 8, zlib.compress(bytes(9900 * 9900 * 3), 9))
    out["strips.tif"] = tiff(900, 90000, 8, zlib.compress(bytes(2700), 9), 1)
    out["loop.tif"] = b"II*\0\x08\0\0\0\0\0\x08\0\0\0"
    out["frames.gif"] = gif(1, 1, 20000)
    out["large_frames.gif"] = gif(9000, 9000, 2000)
    return out


def seeds():
    """name -> bytes: good ones, lies and oddities, a few dozen."""
    out = {
        "good.ppm": ppm(), "plain.ppm": ppm(2, 2, 3, 255, b"1 2 3 4 5 6 7 8 9 10 11 12 "),
        "grey16.pgm": ppm(4, 4, 5, 65535, bytes(32)), "good.bmp": bmp(), "palette.bmp":
        bmp(4, 4, 8, 0, bytes(range(256)) * 4 + bytes(16), 256), "top.bmp": bmp(4, -4),
        "good.png": png(), "alpha.png": png(8, 8, 8, 6), "interlaced.png": png(8, 8, 8, 2, 1, bytes(400)),
        "good.jpg": jpeg(), "grey.jpg": jpeg(components=1), "cmyk.jpg": jpeg(components=4),
        "progressive.jpg": jpeg(frame=0xC2), "lossless.webp": webp_lossless(), "lossy.webp": webp_lossy(),
    }
    for n in (0, 1, 65535, 65536, 100000, 2**31 - 1, 2**32 - 1):
        out[f"wide{n}.ppm"] = ppm(n, 1)
        out[f"both{n}.ppm"] = ppm(n, n)
        out[f"wide{n}.png"] = png(n & 0xFFFFFFFF, 1, rows=bytes(30))
        out[f"both{n}.png"] = png(n & 0xFFFFFFFF, n & 0xFFFFFFFF, rows=bytes(30))
        out[f"both{n}.bmp"] = bmp((n + 2**31) % 2**32 - 2**31, (n + 2**31) % 2**32 - 2**31)
    for n in (0, 1, 9999, 16000, 65500, 65535):
        out[f"both{n}.jpg"] = jpeg(n, n)
        out[f"both{n}p.jpg"] = jpeg(n, n, 0xC2)
        out[f"arith{n}.jpg"] = jpeg(n, n, 0xC9, body=bytes(100))
    for n in (1, 16383, 16384):
        out[f"both{n}.webp"] = webp_lossless(n, n)
        out[f"lossy{n}.webp"] = webp_lossy(n & 0x3FFF, n & 0x3FFF)
        out[f"canvas{n}.webp"] = webp_extended(n * 1000, n * 1000, 0, b"")
    out["scans.jpg"] = jpeg(512, 512, 0xC2, scans=2000, body=bytes(4))
    out["restart.jpg"] = jpeg(extra=jpeg_segment(0xDD, b"\0\1"))
    out["deep.jpg"] = jpeg(precision=12)
    out["components.jpg"] = jpeg(components=9)
    out["two_frames.jpg"] = jpeg()[:-2] + jpeg(4000, 4000)[2:]
    for k in range(10):
        out[f"exif{k}.jpg"] = jpeg(extra=exif(k))
    out["exif_loop.jpg"] = jpeg(extra=jpeg_segment(0xE1, b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + bytes(40)))
    out["animated.webp"] = webp_extended(4, 4, 2, b"ANIM" + struct.pack("<I", 6) + bytes(6))
    out["exif.webp"] = webp_extended(4, 4, 8, b"EXIF" + struct.pack("<I", 2**32 - 1))
    out["crc.png"] = png().replace(b"IHDR", b"IHDR", 1)[:29] + b"\0\0\0\0" + png()[33:]
    out["animated.png"] = png(extra=png_chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0)))
    out["text.png"] = png(extra=png_chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(20 << 20), 9)))
    out["profile.png"] = png(extra=png_chunk(b"iCCP", b"k\0\0" + zlib.compress(bytes(20 << 20), 9)))
    out["chunks.png"] = png(extra=png_chunk(b"tEXt", b"k\0v") * 5000)
    out["big_chunk.png"] = png()[:33] + struct.pack(">I", 2**31 - 1) + b"tEXtk\0v"
    out["palette.png"] = png(8, 8, 8, 3, extra=png_chunk(b"PLTE", bytes(3)))
    out["palette_long.png"] = png(8, 8, 8, 3, extra=png_chunk(b"PLTE", bytes(3 * 300)))
    out["more.png"] = png(rows=bytes(1 << 22))
    out["less.png"] = png(rows=b"\0")
    out["depth.png"] = png(depth=7)
    for depth in (1, 2, 4, 8, 16):
        for colour in (0, 2, 3, 4, 6):
            out[f"d{depth}c{colour}.png"] = png(5, 5, depth, colour)
    out["bomb.png"] = png_bomb(30000, 30000)
    out["bomb_small.png"] = png_bomb(9900, 9900)
    out["run.bmp"] = bmp(60000, 1600, 8, 1, bytes(1024) + b"\xff\0" * 200 + b"\0\1", 256)
    out["gif.gif"] = b"GIF89a\xff\xff\xff\xff\0\0\0;"
    out["tiff.tif"] = b"II*\0\x08\0\0\0" + bytes(20)
    out["heif.heic"] = b"\0\0\0\x18ftypheic" + bytes(20)
    out["empty.jpg"] = b""
    out.update(other_formats())
    out["svg.png"] = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
    return out
