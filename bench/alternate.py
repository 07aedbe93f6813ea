#!/usr/bin/env python3
"""bench/alternate.py OLD NEW [--rounds N] - two builds of jensen beside each other, in turn.

A training step with GJS, the loss alone and JPEGs: for each the times of both programs, which run one after the other
in every round, and their ratio: the median of the rounds' ratios, and the range of the middle half. Steps and JPEGs are
timed by the processor's clock, which other programs disturb less. Of the loss and of JPEGs the best repetition counts.
"""
import argparse
import json
import statistics
import subprocess

# name: (arguments, the number in the JSON of `bench`)
CASES = {
    "gjs step, cnn": ("step -n cnn -b 32 --steps 20 -t 1 -l gjs:pi1=0.5", "processor_seconds"),
    "gjs step, preact": ("step -n preactresnet34 -b 8 --steps 2 -t 1 -l gjs:pi1=0.5", "processor_seconds"),
    "gjs, 1024 x 1000": ("loss -l gjs:pi1=0.5 -b 1024 -k 1000 -t 1", "best_seconds"),
    "gjs, 65536 x 10": ("loss -l gjs:pi1=0.5 -b 65536 -k 10 -t 1", "best_seconds"),
    "ce, 1024 x 1000": ("loss -l ce -b 1024 -k 1000 -t 1", "best_seconds"),
    "JPEG 32 x 32": ("decode --repeats 3", "best_seconds"),
}


def measure(program, arguments, field):
    done = subprocess.run([program, "bench", *arguments.split(), "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])[field]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("old")
    options.add_argument("new")
    options.add_argument("--rounds", type=int, default=11)
    options.add_argument("--only", help="cases whose name has this text")
    asked = options.parse_args()
    print(f"{'case':20} {'old':>10} {'new':>10} {'new / old':>10}  middle half of {asked.rounds} rounds")
    for name, (arguments, field) in CASES.items():
        if asked.only and asked.only not in name:
            continue
        pairs = []
        for turn in range(asked.rounds):
            order = [asked.old, asked.new] if turn % 2 == 0 else [asked.new, asked.old]
            times = {program: measure(program, arguments, field) for program in order}
            pairs.append((times[asked.old], times[asked.new]))
        ratios = sorted(new / old for old, new in pairs)
        old, new = (statistics.median(side) for side in zip(*pairs))
        quarter = len(ratios) // 4
        print(f"{name:20} {1e3 * old:7.3f} ms {1e3 * new:7.3f} ms {statistics.median(ratios):10.4f}  "
              f"{ratios[quarter]:.4f} to {ratios[-1 - quarter]:.4f}", flush=True)


if __name__ == "__main__":
    main()
