#!/usr/bin/env python3
"""bench/loss_ratios.py [LOSS ...] [--classes K] [--level L] - every loss beside GJS, a view each, in turn.

In each round of `jensen bench loss` all are timed one after another, GJS first, with one thread; the medians of the
rounds count. LOSS is a spec, or LOSS@METHOD; without one those of `jensen show losses` and the methods are taken. Of
methods a second ratio adds to GJS's time what a copy of as many bytes takes as their memory moves: 8 for each entry.
"""
import argparse
import json
import statistics
import subprocess

GJS = "gjs:pi1=0.5"
MORE = ["nfl:gamma=2", "logitclip:loss=ce", "ce@elr", "ce@sop"]


def names(program):
    shown = subprocess.run([program, "show", "losses", "--json"], check=True, capture_output=True, text=True).stdout
    return [entry["name"] for entry in json.loads(shown)]


def measure(program, case, options):
    loss, _, method = case.partition("@")
    words = [program, "bench", "loss", "--json", "--threads", "1", "--loss", loss, "--seconds", str(options.seconds),
             "--batch", str(options.batch), "--classes", str(options.classes), "--level", options.level]
    done = subprocess.run(words + (["--method", method] if method else []), check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return found["median_seconds"] / found["views"], found["limit_bytes_per_second"]


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("losses", nargs="*")
    asked.add_argument("--classes", type=int, default=10)
    asked.add_argument("--batch", type=int, default=1024)
    asked.add_argument("--level", default="auto")
    asked.add_argument("--rounds", type=int, default=9)
    asked.add_argument("--seconds", type=float, default=0.03)
    asked.add_argument("--jensen", default="build/release/jensen")
    options = asked.parse_args()
    cases = [GJS] + (options.losses or [name for name in names(options.jensen) if name != "gjs"] + MORE)
    found = {case: [] for case in cases}
    for _ in range(options.rounds):
        for case in cases:
            found[case].append(measure(options.jensen, case, options))
    times = {case: statistics.median(time for time, _ in rounds) for case, rounds in found.items()}
    rate = statistics.median(rate for _, rate in found[GJS])
    state = 8 * options.batch * options.classes / rate
    print(f"{options.level}, {options.batch} x {options.classes}: GJS {1e6 * times[GJS]:.2f} us a view, a copy "
          f"{rate / 1e9:.0f} GB/s, the memory of a method {1e6 * state:.2f} us")
    for case in cases[1:]:
        counted = f"  {times[case] / (times[GJS] + state):6.2f} with its memory" if "@" in case else ""
        print(f"{case:24} {times[case] / times[GJS]:6.2f}{counted}", flush=True)


if __name__ == "__main__":
    main()
