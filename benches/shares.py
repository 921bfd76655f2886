#!/usr/bin/env python3
"""Simulates how engines work the shares of a plan, and prints the tables of docs/scale.md.

Usage: shares.py FOLDER [SEED]

Sizes of inputs are drawn from two log-normal distributions and scaled to the total: one is fitted to the archives below
FOLDER, the other is of archives that are more alike. Shares are made by the rule of `hullmark plan`: from the largest on,
each input goes to the share that has the least to do. A machine that is free takes the next share. One that dies does so
in the midst of a share: after a while the engine knows, and another machine goes on behind the last input that was read
to its end. The last table is of reports in shards, whose sizes are objects. Nothing is measured here; rates come from
docs/scale.md. Standard library only.
"""

import collections
import heapq
import math
import pathlib
import random
import statistics
import sys

TB, MB = 10**12, 10**6
# What a machine does in a second, what it does of one input, and the size of which the beginning of an input takes as long.
Rates = collections.namedtuple("Rates", "machine input beginning")
# Its network has 10 Gbit/s, and 8 cores at 467 MB/s each could take more. One archive is one stream of gzip. The plan counts
# the beginning of an input so.
READING = Rates(1250 * MB, 430 * MB, 64 * 1024)
# Objects of a report: 31 µs of one of 8 cores. The rows of an input are made by all of them.
WRITING = Rates(8 / 31e-6, 8 / 31e-6, 0)
# What it takes to start a share, and to learn of a death, in seconds.
START, DETECTED = 10, 300
# The regions and objects of a grid; and in seconds, how long each shard reads the headers of all ledgers.
REGIONS, OBJECTS, HEADERS = 28_000, 100_000_000, 5
AUDITS = [("10 TB", 20_000, 10 * TB), ("200 TB", 28_000, 200 * TB)]
MACHINES = [10, 100, 1000]
# Shares for each machine.
SHARES = [1, 4, 16]
CONDITIONS = ["", "slow: ", "dying: "]
# How fast a slow one is.
SLOW = 1 / 3
# Deviations of the logarithms of sizes, where they are not fitted; and what no archive has more of.
ALIKE, LARGEST = 1.0, TB // 10


def fitted(folder):
    """The standard deviation of the logarithms of sizes, and how many archives there are."""
    sizes = [path.stat().st_size for path in pathlib.Path(folder).rglob("*.[io]ar") if path.is_file()]
    return statistics.stdev(map(math.log, sizes)), len(sizes)


def drawn(count, total, deviation, dice):
    """Sizes of so many inputs, from the largest on."""
    sizes = [dice.lognormvariate(0, deviation) for _ in range(count)]
    # Cutting the largest takes from the total, which the others make good.
    for _ in range(50):
        scale = total / sum(sizes)
        sizes = [min(scale * size, LARGEST) for size in sizes]
    return sorted(sizes, reverse=True)


def shared(sizes, count, rates):
    """The inputs of each share."""
    shares = [[] for _ in range(min(count, len(sizes)))]
    least = [(0.0, number) for number in range(len(shares))]
    for size in sizes:
        load, number = least[0]
        shares[number].append(size)
        heapq.heapreplace(least, (load + size + rates.beginning, number))
    return shares


def seconds(sizes, speed, rates):
    """How long a machine takes: for all inputs together, and no shorter than for the largest one."""
    all_inputs = sum(size + rates.beginning for size in sizes) / rates.machine
    return max(all_inputs, sizes[0] / rates.input) / speed


def left(sizes, speed, after, rates):
    """Inputs that were not read to their end when the machine died."""
    done = 0.0
    for number, size in enumerate(sizes):
        done += (size + rates.beginning) / (rates.machine * speed)
        if max(done, size / (rates.input * speed)) > after:
            return sizes[number:]
    return []


def worked(shares, speeds, deaths, rates, start=START, goes_on=True):
    """When the last share has ended. One that `goes_on` continues where a dead machine was."""
    free = [(0.0, machine) for machine in range(len(speeds))]
    # A share, and from when on it may be begun.
    waiting = [(0.0, number, share) for number, share in enumerate(shares)]
    heapq.heapify(waiting)
    ended = 0.0
    while waiting:
        since, number, share = heapq.heappop(waiting)
        now, machine = heapq.heappop(free)
        begun = max(now, since) + start
        end = begun + seconds(share, speeds[machine], rates)
        death = deaths.get(machine, math.inf)
        if death < end:
            rest = left(share, speeds[machine], max(0.0, death - begun), rates) if goes_on else share
            if rest:
                heapq.heappush(waiting, (death + DETECTED, number, rest))
            continue
        ended = max(ended, end)
        heapq.heappush(free, (end, machine))
    return ended


def conditions(machines, ideal, dice):
    """What may befall machines: their speeds, and when some of them die."""
    alike = [1.0] * machines
    slow = [SLOW if machine % 10 == 9 else 1.0 for machine in range(machines)]
    dying = dice.sample(range(machines), max(1, machines // 50))
    return [
        (alike, {}),
        (slow, {}),
        (alike, {machine: dice.uniform(0, ideal + START) for machine in dying}),
    ]


def main(folder, seed="1"):
    deviation, archives = fitted(folder)
    dice = random.Random(int(seed))
    print(f"Fitted to {archives} archives: a standard deviation of {deviation:.1f} of the logarithms.\n")
    heads = [f"{words}{count} ×" for words in CONDITIONS for count in SHARES]
    print("| audit | sizes | machines | best, min | " + " | ".join(heads) + " |")
    print("|---" * (4 + len(heads)) + "|")
    for name, count, total in AUDITS:
        for kind, spread in [("alike", ALIKE), ("fitted", deviation)]:
            sizes = drawn(count, total, spread, dice)
            beginning = READING.beginning
            useful = math.ceil(sum(size + beginning for size in sizes) / (sizes[0] + beginning))
            print(f"{name}, {kind}: the largest has {sizes[0] / 1e9:.0f} GB, {useful} shares are of use", file=sys.stderr)
            for machines in MACHINES:
                ideal = sum(sizes) / (READING.machine * machines)
                cells = []
                for speeds, deaths in conditions(machines, ideal, dice):
                    fastest = sum(sizes) / (READING.machine * sum(speeds))
                    for more in SHARES:
                        took = worked(shared(sizes, more * machines, READING), speeds, deaths, READING)
                        cells.append(f"{took / fastest:.1f}")
                print(f"| {name} | {kind} | {machines} | {ideal / 60:.1f} | " + " | ".join(cells) + " |")
    print(f"\nThe rows of {REGIONS:,} regions with {OBJECTS:,} objects, in minutes:\n")
    print("| machines | best | " + " | ".join(heads) + " |\n" + "|---" * (2 + len(heads)) + "|")
    for machines in [1, *MACHINES[:2]]:
        sizes = drawn(REGIONS, OBJECTS, ALIKE, dice)
        ideal = OBJECTS / (WRITING.machine * machines)
        cells = []
        for speeds, deaths in conditions(machines, ideal, dice):
            # With one machine there is no other that goes on.
            deaths = deaths if machines > 1 else {}
            for more in SHARES:
                # A part is written as a whole, or again.
                shares = shared(sizes, more * machines, WRITING)
                took = worked(shares, speeds, deaths, WRITING, START + HEADERS, goes_on=False)
                cells.append(f"{took / 60:.1f}")
        print(f"| {machines} | {ideal / 60:.1f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
