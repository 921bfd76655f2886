#!/usr/bin/env python3
"""Simulates how engines work the shares of a plan, and prints the tables of docs/scale.md.

Usage: shares.py FOLDER [SEED]

Sizes of inputs are drawn from two log-normal distributions and scaled to the total: one is fitted to the archives below
FOLDER, the other is of archives that are more alike. Shares are made by the rule of `hullmark plan`: from the largest on,
each input goes to the share that has the least to do. A machine that is free takes the next share. One that dies does so
in the midst of a share: after a while the engine knows, and another machine goes on behind the last input that was read
to its end. Nothing is measured here; rates come from docs/scale.md. Standard library only.
"""

import heapq
import math
import pathlib
import random
import statistics
import sys

TB, MB = 10**12, 10**6
# What a machine reads in a second: its network has 10 Gbit/s, and 8 cores at 467 MB/s each could take more.
MACHINE = 1250 * MB
# What is read of one archive in a second: it is one stream of gzip.
ARCHIVE = 430 * MB
# What it takes to begin an input, in bytes, as the plan has it; and to start a share, and to learn of a death, in seconds.
BEGINNING, START, DETECTED = 64 * 1024, 10, 300
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


def shared(sizes, count):
    """The inputs of each share."""
    shares = [[] for _ in range(min(count, len(sizes)))]
    least = [(0.0, number) for number in range(len(shares))]
    for size in sizes:
        load, number = least[0]
        shares[number].append(size)
        heapq.heapreplace(least, (load + size + BEGINNING, number))
    return shares


def seconds(sizes, speed):
    """How long a machine takes: as its network lets it, and no shorter than for the largest archive."""
    return max(sum(size + BEGINNING for size in sizes) / (MACHINE * speed), sizes[0] / (ARCHIVE * speed))


def left(sizes, speed, after):
    """Inputs that were not read to their end when the machine died."""
    done = 0.0
    for number, size in enumerate(sizes):
        done += (size + BEGINNING) / (MACHINE * speed)
        if max(done, size / (ARCHIVE * speed)) > after:
            return sizes[number:]
    return []


def worked(shares, speeds, deaths):
    """When the last share has ended."""
    free = [(0.0, machine) for machine in range(len(speeds))]
    # A share, and from when on it may be begun.
    waiting = [(0.0, number, share) for number, share in enumerate(shares)]
    heapq.heapify(waiting)
    ended = 0.0
    while waiting:
        since, number, share = heapq.heappop(waiting)
        now, machine = heapq.heappop(free)
        begun = max(now, since) + START
        end = begun + seconds(share, speeds[machine])
        death = deaths.get(machine, math.inf)
        if death < end:
            rest = left(share, speeds[machine], max(0.0, death - begun))
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
            useful = math.ceil(sum(size + BEGINNING for size in sizes) / (sizes[0] + BEGINNING))
            print(f"{name}, {kind}: the largest has {sizes[0] / 1e9:.0f} GB, {useful} shares are of use", file=sys.stderr)
            for machines in MACHINES:
                ideal = sum(sizes) / (MACHINE * machines)
                cells = []
                for speeds, deaths in conditions(machines, ideal, dice):
                    fastest = sum(sizes) / (MACHINE * sum(speeds))
                    for more in SHARES:
                        took = worked(shared(sizes, more * machines), speeds, deaths)
                        cells.append(f"{took / fastest:.1f}")
                print(f"| {name} | {kind} | {machines} | {ideal / 60:.1f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
