#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Times that NCCL's cost model predicts, stepped by hand from its published table.

This is an oracle for test/nccl-tuner-test.cc. It shares no code with the module: the constants are
those of NVIDIA/nccl v2.30.x, src/graph/tuning.cc, with what v2.21.5 and v2.26.2 had instead; the
channels and speeds of each machine are worked out on paper (see MACHINES) and are checked by the
test against the module's own search.

Run it to write nccl-tuner.csv again: ./nccl-tuner.py > nccl-tuner.csv
"""

from math import floor, log2

TREE, RING, NVLS, NVLS_TREE, PAT = "tree", "ring", "nvls", "nvls-tree", "pat"
LL, LL128, SIMPLE = "LL", "LL128", "Simple"
PROTOCOLS = [LL, LL128, SIMPLE]

CORRECTION = {
    LL: "1 1 1 1 .9 .8 .7 .7 .7 .7 .6 .5 .4 .4 .5 .6 .7 .8 .9 1 1 1 1 1",
    LL128: "1 1 1 1 1 .9 .8 .8 .8 .7 .6 .6 .6 .6 .6 .6 .8 .9 .9 .9 .9 1 1 1",
    SIMPLE: ".9 .9 .9 .9 .9 .9 .9 .8 .7 .6 .6 .5 .5 .5 .5 .6 .7 .8 .7 .7 .8 .9 .9 .9",
}


class Figures:
    """The table of a version; columns LL, LL128, Simple and 1, 2, more nodes."""

    def __init__(self, version):
        old = version < 228  # before the model of NVLS by efficiency
        simple_tree = (28, 28) if version < 223 else (4, 14)
        self.base = {
            TREE: (6.8, 14, 0 if version < 223 else 8.4),
            RING: (6.6, 14, 8.4),
            PAT: (8, 8, 8),
        }
        self.nvlink = {
            TREE: (.6, 1.25, simple_tree[0]),
            RING: (.6, 1.9, 3.4),
            NVLS: (0, 0, 25),
            NVLS_TREE: (0, 0, 25),
            PAT: (0, 0, 4),
        }
        self.net = {
            TREE: (5, 8.5, simple_tree[1]),
            RING: (2.7, 4, 14),
            NVLS: (0, 0, 18),
            NVLS_TREE: (0, 0, 14 if old else 20.9),
            PAT: (0, 0, 14),
        }
        hopper = {"ll": (141, 45, 35), "ring128": (36.7,) * 3, "tree128": (36.7, 36.7, 29),
                  "tree": (38.7, 41.4, 36), "nvlstree": (0, 57.7, 45.5), "efficiency": .85}
        twice = {key: tuple(2 * x for x in hopper[key])
                 for key in ("ll", "ring128", "tree128", "tree")}
        newest = {"ll": (282, 90, 70), "ring128": (40,) * 3, "tree128": (55.6, 31.67, 20),
                  "tree": (70, 42.8, 24), "nvlstree": (0, 96, 80), "efficiency": .74}
        self.gpu = {
            "ampere": {"ll": (87.7, 22.5, 19), "ring128": (20,) * 3, "tree128": (20,) * 3,
                       "tree": (24, 23.6, 17.8)},
            "hopper": hopper,
            "blackwell": twice if old else newest,
        }
        # Between nodes LL depends on the CPU: the Volta row for Intel, the Ampere row for AMD.
        self.ll_between = {"intel": (39, 39, 20.4), "amd": (87.7, 22.5, 19)}
        self.old_nvls = old
        self.old_ring = version < 223


# name: (capability, GPU, nodes, GPUs a node, CPU, NVLinks, NICs a node, GB/s of a NIC,
#        ring (channels, intra, inter), tree, NVLS, channels of the communicator), by version.
# H100: 18 x 20.6 = 370.8 GB/s. 6 rings of 60 in one node, each made two of 30; NVLS: 9 x 40 <= 370.8,
# and 60 "between nodes"; 8 rings of 45 on 8 NICs; trees pass 7/8 of 8 x 48 and half of 48 for PXN.
# B200: 18 x 40.1 = 721.8: 8 rings of 90, each made two of 45; NVLS 9 x 80.
# A100: 12 x 20 = 240: 6 rings of 40, made 12 of 20; 16 ports of 12.5 carry 16 of 12, and trees 15
# within the node.
MACHINES = {
    "a100-1x8": (80, "ampere", 1, 8, "amd", 12, 0, 0, (12, 20, 20), (12, 20, 20), None, 24),
    "a100-2x8": (80, "ampere", 2, 8, "amd", 12, 16, 12.5, (16, 12, 12), (16, 15, 12), None, 32),
    "h200-1x8": (90, "hopper", 1, 8, "intel", 18, 0, 0, (12, 30, 30), (12, 30, 30), (8, 40, 60), 24),
    "h200-2x8": (90, "hopper", 2, 8, "intel", 18, 8, 50, (8, 45, 45), (8, 48, 48), (8, 40, 48), 16),
    "h200-4x8": (90, "hopper", 4, 8, "intel", 18, 8, 50, (8, 45, 45), (8, 48, 48), (8, 40, 48), 16),
    "h200-2x1": (90, "hopper", 2, 1, "intel", 18, 1, 50, (2, 24, 24), (2, 48, 24), None, 4),
    "h200-8x1": (90, "hopper", 8, 1, "intel", 18, 1, 50, (2, 24, 24), (2, 48, 24), None, 4),
    "b200-1x8": (100, "blackwell", 1, 8, "intel", 18, 0, 0, (16, 45, 45), (16, 45, 45), (8, 80, 90),
                 32),
}

# B200 with 2.26.2: links of 40.0, no speed of 45 in one node: trees get 40.
OVERRIDES = {
    ("b200-1x8", 226): {"tree": (16, 40, 40), "ring": (16, 45, 45), "nvls": (8, 80, 90)},
}


def cost(version, machine, operation, algorithm, protocol, size):
    """Time in us, or None where NCCL would not do it."""
    capability, gpu, nodes, per_node, cpu, _, _, _, ring, tree, nvls, channels = MACHINES[machine]
    changed = OVERRIDES.get((machine, version), {})
    ring, tree, nvls = (changed.get("ring", ring), changed.get("tree", tree),
                        changed.get("nvls", nvls))
    figures = Figures(version)
    rows = figures.gpu[gpu]
    ranks = nodes * per_node
    column = min(nodes, 3) - 1
    p = PROTOCOLS.index(protocol)
    gathers = operation in ("all-gather", "reduce-scatter")
    reduces_all = operation == "all-reduce"
    steps = 2 * (ranks - 1) if reduces_all else ranks - 1 if gathers else ranks

    if algorithm == TREE and not reduces_all:
        return None
    if algorithm == NVLS and (nodes > 1 or nvls is None or not (reduces_all or gathers)):
        return None
    if algorithm == NVLS_TREE and (nodes == 1 or nvls is None or not reduces_all):
        return None
    if algorithm == PAT and (not gathers or per_node > 1 or version < 223):
        return None
    if algorithm in (NVLS, NVLS_TREE, PAT) and protocol != SIMPLE:
        return None

    # ---- bandwidth of the buses, then of the operation
    number, intra, inter = {TREE: tree, RING: ring, PAT: ring}.get(algorithm, nvls)
    bus = number * (intra if nodes <= 2 else inter)
    ll_most = (rows["ll"] if nodes == 1 else figures.ll_between[cpu])[column]
    if algorithm == RING:
        if protocol == LL:
            bus = min(ll_most, .5 * bus)
        if protocol == LL128:
            share = .7 if figures.old_ring and per_node == 1 else .92
            bus = min(share * bus, number * rows["ring128"][column])
        rate = bus * ranks / steps
    elif algorithm == TREE:
        bus = min(.92 * bus, number * rows["tree"][column])
        if protocol == LL:
            bus = min(bus / 3.8, ll_most)
        if protocol == LL128:
            bus = min(bus * (7 / 9 if nodes == 1 else 120 / 128), number * rows["tree128"][column])
        if per_node == 1:
            bus *= .85
        rate = bus / 2
    elif algorithm == PAT:
        rate = bus * .75
    elif figures.old_nvls:
        if algorithm == NVLS_TREE:
            bus = number * min(intra, inter if nodes == 2 else inter / 2)
        else:
            bus = number * min(intra, inter)
        rate = bus * (5 / 6 if reduces_all or figures.old_ring else 1)
    else:
        own = intra * rows["efficiency"] * (number - 1) / number
        own *= 2 if reduces_all else (per_node - 1) / per_node
        limits = [own, inter * (2 if algorithm == NVLS_TREE and nodes == 2 else 1)]
        if algorithm == NVLS_TREE:
            limits.append(rows["nvlstree"][column])
        rate = number * min(limits) * (1 if gathers else ranks / steps)

    # ---- latency
    near = figures.nvlink[algorithm][p]
    far = figures.net[algorithm][p]
    if per_node == 1 and not figures.old_ring:
        far = figures.net[TREE][p]
    log_nodes = floor(log2(nodes))
    if algorithm == RING:
        latency = figures.base[RING][p]
        if operation in ("broadcast", "reduce"):
            same = nodes == 1 or per_node == 1
            table = figures.nvlink if nodes == 1 else figures.net
            if same:
                latency += table[RING][p]
            else:
                latency += steps * table[TREE if protocol == SIMPLE else RING][p]
        else:
            overhead = 0 if nodes == 1 else 2 if cpu == "amd" else 1
            overhead *= 3 if protocol == SIMPLE else 1
            crossings = 0
            if nodes > 1:
                crossings = nodes - 1
                if reduces_all:
                    crossings = 2 * nodes if figures.old_ring else 2 * (nodes - 1)
            latency += (steps - crossings) * max(near, overhead) + crossings * far
    elif algorithm == TREE:
        latency = figures.base[TREE][p] + 2 * ((per_node - 1) * near + log_nodes * far)
    elif algorithm == NVLS:
        latency = near
    elif algorithm == NVLS_TREE:
        latency = near + 2 * log_nodes * far
    else:
        latency = figures.base[PAT][p] + log_nodes * far / 3.5 + 2.8 * ranks

    # ---- corrections by size
    power = floor(log2(size >> 6)) if size >= 64 else -1
    if algorithm == TREE and 0 <= power < 23:
        rate *= float(CORRECTION[protocol].split()[power])
    if algorithm == RING and protocol == SIMPLE and nodes > 1 and reduces_all:
        if size // (channels * ranks) >= 64:
            latency *= 1.4
    if protocol == LL128 and nodes > 1 and capability < 80:
        return None
    return latency + size / (1000 * rate)


def main():
    print("version,machine,capability,nodes,per_node,cpu,links,nics,nic_gbps,operation,algorithm,"
          "protocol,bytes,time_us")
    sizes = [8, 1024, 65536, 1 << 20, 3 << 20, 1 << 26, 1 << 30]
    for version, text in ((221, "2.21.5"), (226, "2.26.2"), (230, "2.30.7")):
        for machine, row in MACHINES.items():
            if machine == "b200-1x8" and version < 225:
                continue
            for operation in ("all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce"):
                for algorithm in (TREE, RING, NVLS, NVLS_TREE, PAT):
                    for protocol in PROTOCOLS:
                        for size in sizes:
                            time = cost(version, machine, operation, algorithm, protocol, size)
                            if time is not None:
                                print(f"{text},{machine},{row[0]},{row[2]},{row[3]},{row[4]},"
                                      f"{row[5]},{row[6]},{row[7]},{operation},{algorithm},"
                                      f"{protocol},{size},{time:.9g}")


main()
