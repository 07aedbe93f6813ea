#!/usr/bin/env python3
"""bench/predict_speed.py JENSEN RUN DIR [--times N] [--rounds N] [--old JENSEN] - `predict RUN DIR --csv` from start to end,
beside the network alone.

In every round the program predicts the images of DIR once, by the clock, its start included, and `bench predict` measures the
network alone on as many images. Prints both rates and their ratio: the medians of the rounds. --times N takes every image N
times, by N copies of DIR. --old is a second program, an older one, that predicts in the same rounds and must print the same
table; the network alone stays that of the first.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time


def predict(program, run, folder):
    begin = time.monotonic()
    done = subprocess.run([program, "predict", run, folder, "--csv"], check=True, capture_output=True)
    return time.monotonic() - begin, done.stdout


def alone(program, run, folder):
    done = subprocess.run([program, "bench", "predict", "--run", run, "--images", folder, "--repeats", "1", "--json"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("jensen")
    options.add_argument("run")
    options.add_argument("folder")
    options.add_argument("--times", type=int, default=1)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--old")
    asked = options.parse_args()
    programs = [asked.jensen] + ([asked.old] if asked.old else [])
    with tempfile.TemporaryDirectory() as work:
        many = os.path.join(work, "many")
        for copy in range(asked.times):
            shutil.copytree(asked.folder, os.path.join(many, str(copy)))
        predict(asked.jensen, asked.run, many)
        seconds, rates, starts = {program: [] for program in programs}, [], []
        for turn in range(asked.rounds):
            tables = []
            for program in programs[::-1] if turn % 2 else programs:
                took, table = predict(program, asked.run, many)
                seconds[program].append(took)
                tables.append(table)
            assert all(table == tables[0] for table in tables), "the tables differ"
            measured = alone(asked.jensen, asked.run, os.path.join(many, "0"))
            rates.append(min(measured["network_images_per_second"], measured["reading_images_per_second"]))
            starts.append(measured["start_seconds"])
            images = tables[0].count(b"\n") - 1
    start = statistics.median(starts)
    print(f"{images} images, {asked.rounds} rounds, medians; the slower of network and reading alone: {statistics.median(rates):.1f} images/s")
    for program in programs:
        for what, less in ("with its start", 0.0), ("without", start):
            taken = [took - less for took in seconds[program]]
            if less and program != asked.jensen:
                continue  # its start was not measured
            share = statistics.median(images / took / rate for took, rate in zip(taken, rates))
            print(f"{os.path.basename(program)} predict --csv, {what}: {statistics.median(taken):.2f} s, "
                  f"{images / statistics.median(taken):.1f} images/s, {100 * share:.1f}% of it")


if __name__ == "__main__":
    main()
