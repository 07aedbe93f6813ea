#!/usr/bin/env python3
"""fuzz_long.py SECONDS JOBS [--out FOLDER] [--only TARGET,...] - all fuzz targets towards 20 million inputs each.

JOBS processes at a time share the targets, in slices, those first that are furthest from their goal: 20 million
executions or two hours of one core (--goal, --hours). What was learnt, the findings and the counts are in FOLDER
(build/fuzz/long); given again it goes on from there. FOLDER/done.txt always has one line a target: executions, seconds
of a core, crashes. A target with five crashes is left alone.

--from FOLDER has the programs (fuzz_TARGET), and beside them corpus/ and dictionary/, lib/ with their libraries, and
done.json with executions of earlier campaigns; without it they are those of build/fuzz and tests/fuzz.
"""
import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

MOST_CRASHES = 5


class Target:
    def __init__(self, name, program, before):
        self.name, self.program, self.before = name, program, before
        self.executions, self.seconds, self.crashes, self.running, self.slices = 0, 0.0, 0, 0, 0

    def total(self):
        return self.before + self.executions

    def open(self, asked):
        return (self.total() < asked.goal and self.seconds < asked.hours * 3600
                and self.crashes < MOST_CRASHES)


class Campaign:
    def __init__(self, asked):
        self.asked = asked
        self.programs, self.inputs = (asked.source, asked.source) if asked.source else ("build/fuzz/fuzz", "tests/fuzz")
        before = self.load(os.path.join(self.programs, "done.json"))
        names = sorted(name[5:] for name in os.listdir(self.programs) if name.startswith("fuzz_") and "." not in name)
        if asked.only:
            names = [name for name in names if name in asked.only.split(",")]
        self.targets = [Target(name, os.path.join(self.programs, "fuzz_" + name), before.get(name, 0)) for name in names]
        self.state = os.path.join(asked.out, "state.json")
        for folder in "corpus", "findings", "logs":
            os.makedirs(os.path.join(asked.out, folder), exist_ok=True)
        state = self.load(self.state)
        for t in self.targets:
            t.executions, t.seconds, t.crashes, t.slices = state.get(t.name, (0, 0.0, 0, 0))
        self.end = time.monotonic() + asked.seconds
        self.jobs = {}

    @staticmethod
    def load(path):
        try:
            with open(path) as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def start(self, target, seconds):
        out, name = self.asked.out, target.name
        target.slices += 1
        target.running += 1
        learnt = os.path.join(out, "corpus", name)
        os.makedirs(learnt, exist_ok=True)
        left = max(1, self.asked.goal - target.total()) if target.open(self.asked) else 10 ** 9
        dictionary = os.path.join(self.inputs, "dictionary", name)
        log = os.path.join(out, "logs", f"{name}-{target.slices}.log")
        command = [target.program, f"-runs={left}", f"-max_total_time={seconds}", "-timeout=25", "-rss_limit_mb=2048",
                   "-print_final_stats=1", f"-seed={target.slices * 7919 + self.asked.seed}", "-reload=1",
                   f"-max_len={self.room(target)}",
                   f"-artifact_prefix={out}/findings/{name}-"]
        command += [f"-dict={dictionary}"] if os.path.exists(dictionary) else []
        # Short stacks of allocations: a finding is looked at again anyway.
        environment = dict(os.environ, ASAN_OPTIONS="malloc_context_size=1:quarantine_size_mb=16")
        libraries = os.path.join(self.programs, "lib")
        if os.path.isdir(libraries):
            environment["LD_LIBRARY_PATH"] = os.path.abspath(libraries)
        with open(log, "wb") as file:
            process = subprocess.Popen(command + [learnt, os.path.join(self.inputs, "corpus", name)], stdout=file,
                                       stderr=file, env=environment, preexec_fn=lambda: os.nice(self.asked.nice))
        self.jobs[process] = (target, log)

    def room(self, target):
        """Where half of the seeds are small, two of three slices are of small inputs, which are fast."""
        folder = os.path.join(self.inputs, "corpus", target.name)
        sizes = sorted(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
        return 768 if sizes[len(sizes) // 2] < 400 and target.slices % 3 else 4096

    def reap(self):
        """The processes that have ended. A target is charged with the time of the processor, not with waiting for one."""
        for process in list(self.jobs):
            before = self.of_children()
            if process.poll() is not None:
                self.jobs[process][0].seconds += self.of_children() - before
                self.ended(process)
                self.write()

    @staticmethod
    def of_children():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def ended(self, process):
        target, log = self.jobs.pop(process)
        target.running -= 1
        with open(log, errors="replace") as file:
            text = file.read()
        counts = re.findall(r"number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)\t", text, re.M) or ["0"]
        target.executions += int(counts[-1])
        if process.returncode == 0:
            os.remove(log)
        elif process.returncode not in (-signal.SIGTERM, -signal.SIGINT):
            target.crashes += 1

    def write(self):
        with open(self.state + ".new", "w") as file:
            json.dump({t.name: (t.executions, t.seconds, t.crashes, t.slices) for t in self.targets}, file)
        os.replace(self.state + ".new", self.state)
        with open(os.path.join(self.asked.out, "done.new"), "w") as file:
            for t in self.targets:
                earlier = f" (and {t.before} earlier)" if t.before else ""
                file.write(f"{t.name} {t.executions} executions{earlier}, {t.seconds:.0f} s, {t.crashes} crashes\n")
        os.replace(os.path.join(self.asked.out, "done.new"), os.path.join(self.asked.out, "done.txt"))

    def next(self):
        """The target that gets the next free process; None: nothing is left to do."""
        # At first a short slice each, so that every target has run in this campaign.
        fresh = [t for t in self.targets if t.slices == 0]
        if fresh:
            return min(fresh, key=lambda t: t.total()), self.asked.first
        most = max(1, self.asked.jobs // 3)
        left = [t for t in self.targets if t.open(self.asked)]
        usual = [t for t in left if t.running < most] or left
        if not usual:
            return None
        return min(usual, key=lambda t: (t.total() / self.asked.goal + 0.05 * t.running, t.name)), self.asked.slice

    def run(self):
        while time.monotonic() < self.end or self.jobs:
            while len(self.jobs) < self.asked.jobs and self.end - time.monotonic() > 3:
                chosen = self.next()
                if chosen is None:
                    break
                self.start(chosen[0], int(max(2, min(chosen[1], self.end - time.monotonic() - 1))))
            if not self.jobs:
                break
            time.sleep(0.2)
            self.reap()
        self.write()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seconds", type=float)
    options.add_argument("jobs", type=int)
    options.add_argument("--out", default="build/fuzz/long")
    options.add_argument("--from", dest="source")
    options.add_argument("--only")
    options.add_argument("--goal", type=int, default=20_000_000)
    options.add_argument("--hours", type=float, default=2.0)
    options.add_argument("--slice", type=float, default=60)
    options.add_argument("--first", type=float, default=10)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--nice", type=int, default=15)
    campaign = Campaign(options.parse_args())
    try:
        campaign.run()
    finally:
        for process in campaign.jobs:
            process.terminate()
    return 1 if any(t.crashes for t in campaign.targets) else 0


if __name__ == "__main__":
    sys.exit(main())
