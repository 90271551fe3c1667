#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Flow files of the permutation benchmarks: every host sends to another host, and no host twice.

    permutation.py HOSTS BYTES > NAME.flows.txt

Python's generator with seed 42 shuffles the hosts until none stays in its place: with 16 and with 1024
hosts the first shuffle does.
"""
import random
import sys

hosts, size = int(sys.argv[1]), int(sys.argv[2])
generator = random.Random(42)
to = list(range(hosts))
while True:
    generator.shuffle(to)
    if all(source != destination for source, destination in enumerate(to)):
        break
print(hosts)
for source, destination in enumerate(to):
    print(source, destination, 3, 100, size, "0.0")
