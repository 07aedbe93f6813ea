#!/usr/bin/env python3
"""make_hostile.py archives|images|bombs FOLDER [COUNT [PART]] - writes hostile files.

The seeds come first, then mutations of them (cut short, bytes flipped, pieces moved,
counters made huge) until there are COUNT files. The same COUNT gives the same files.
Another PART than 1 gives other mutations, and no seeds.
"""
import os
import random
import sys

import archives
import images

EXTREMES = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63, 2**64 - 1]


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        if not data:
            return bytes(data)
        at = rng.randrange(len(data)) if rng.random() < 0.5 else rng.randrange(min(len(data), 600))
        action = rng.randrange(6)
        if action == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif action == 1:
            data[at] = rng.randrange(256)
        elif action == 2:
            del data[at:]
        elif action == 3:
            del data[at:at + rng.randrange(1, 64)]
        elif action == 4:
            width = rng.choice((1, 2, 4, 8))
            value = rng.choice(EXTREMES) % (1 << 8 * width)
            data[at:at + width] = value.to_bytes(width, rng.choice(("little", "big")))
        else:
            end = at + rng.randrange(1, 600)
            data[at:at] = data[at:end]
    return bytes(data)


def main():
    kind, folder = sys.argv[1:3]
    seeds = {"archives": archives.seeds, "images": images.seeds, "bombs": archives.bombs}[kind]()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else len(seeds)
    part = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    os.makedirs(folder, exist_ok=True)
    names = sorted(seeds) if part == 1 else []
    rng = random.Random(part)
    small = [n for n in sorted(seeds) if len(seeds[n]) < 200000]
    for k in range(max(count, len(names))):
        if k < len(names):
            name, data = names[k], seeds[names[k]]
        else:
            source = rng.choice(small)
            name, data = f"m{k}_{source}".replace("good", "was"), mutate(seeds[source], rng)
            name = name.replace("limit_", "")
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    print(max(count, len(names)), "files")


if __name__ == "__main__":
    main()
