#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""HPCC a second time: what hpcc-test.cc compares HpccCongestionOps and HpccPintCongestionOps with.

Written from algorithm 1 of Li et al., SIGCOMM 2019 (windows, in bytes on the wire) and, for form
Rate, from the description of the authors' simulator (rates); not from the module, which has one
piece of code for both. All numbers are fractions, so nothing is rounded before the last column.

    python3 hpcc-steps.py > hpcc-steps.csv

Lines: "case,NAME,TYPE", "attribute,NAME,VALUE", "given,LINE_RATE,MTU,FRAME,T_PS", then for each
answer "step,NOW,RTT,ACKED,SENT,DIGEST,HOPS" (NOW and RTT are 0: HPCC looks at neither; HOPS -1: no
telemetry), for each hop ",SWITCH,PORT,TX_BYTES,QUEUE,TIME_PS,RATE", and
",RATE,WINDOW,UTILIZATION,STAGE" as they are after it.
"""

from fractions import Fraction as F

US = 10**6  # picoseconds
SECOND = 10**12
G = 10**9


class Window:
    """Algorithm 1: one utilization, windows."""

    def __init__(self, given, eta=F(95, 100), max_stage=5, addition=80, fast_react=True):
        self.g = given
        self.T = F(given["T"], SECOND)
        self.eta, self.max_stage, self.addition = eta, max_stage, addition
        self.fast_react = fast_react
        self.most = F(given["rate"]) * self.T / 8
        self.W = self.Wc = self.most
        self.U, self.stage, self.last_update = F(1), 0, 0
        self.L = None

    def measure(self, hops):
        u, tau = -1, None
        for now, old in zip(hops, self.L):
            dt = F(now["time"] - old["time"], SECOND)
            tx_rate = F(8 * (now["tx"] - old["tx"])) / dt
            queue = 8 * min(now["queue"], old["queue"])
            here = queue / (now["rate"] * self.T) + tx_rate / now["rate"]
            if here > u:
                u, tau = here, dt
        tau = min(tau, self.T)
        self.U = (1 - tau / self.T) * self.U + tau / self.T * u

    def compute(self, update):
        cut = self.U >= self.eta or self.stage >= self.max_stage
        if cut and self.U == 0:
            W = self.most
        elif cut:
            W = self.Wc / (self.U / self.eta) + self.addition
        else:
            W = self.Wc + self.addition
        W = max(F(1), min(W, self.most))
        if update:
            self.stage = 0 if cut else self.stage + 1
            self.Wc = W
        self.W = W

    def answer(self, acked, sent, digest, hops):
        full = acked > self.last_update
        if not full and not self.fast_react:
            return
        if not hops:
            return
        path = lambda list_of: [(hop["switch"], hop["port"]) for hop in list_of]
        if self.L is None or path(hops) != path(self.L):
            self.L, self.last_update = hops, sent
            return
        if any(now["time"] <= old["time"] for now, old in zip(hops, self.L)):
            return
        self.measure(hops)
        self.L = hops
        self.compute(full)
        if full:
            self.last_update = sent

    def state(self):
        payload = self.W * F(self.g["mtu"], self.g["frame"])
        return 8 * self.W / self.T, max(1, int(payload)), self.U, self.stage


class Rates:
    """The simulator's form: rates; a utilization, a reference and a stage a hop, or one of all."""

    def __init__(self, given, multiple, addition, floor, max_stage=0, window="variable"):
        self.g, self.multiple, self.addition = given, multiple, addition
        self.floor, self.max_stage, self.window = floor, max_stage, window
        self.eta = F(95, 100)
        self.max = F(given["rate"])
        self.rate = self.max
        self.last_update, self.hop = 0, None
        self.hops = [dict(u=F(1), R=self.max, stage=0)]

    def answer(self, acked, sent, digest, hops):
        if not hops:
            return
        path = lambda list_of: [(hop["switch"], hop["port"]) for hop in list_of]
        if self.hop is None or path(hops) != path(self.hop):
            self.hop, self.last_update = hops, sent
            if self.multiple:
                self.hops = [dict(u=F(1), R=self.rate, stage=0) for _ in hops]
            return
        if any(now["time"] <= old["time"] for now, old in zip(hops, self.hop)):
            return
        full = acked > self.last_update
        loads = []
        for now, old in zip(hops, self.hop):
            tau = now["time"] - old["time"]
            tx_rate = F(8 * (now["tx"] - old["tx"]) * SECOND, tau)
            # The queue by the window that the simulator has: line rate x T, in bytes.
            window = self.max * self.g["T"] / SECOND / 8
            u = tx_rate / now["rate"]
            u += F(min(now["queue"], old["queue"])) * self.max / now["rate"] / window
            loads.append((u, min(tau, self.g["T"])))
        self.hop = hops
        if not self.multiple:
            loads = [max(loads, key=lambda load: load[0])]
        rates = []
        for control, (u, tau) in zip(self.hops, loads):
            control["u"] = (control["u"] * (self.g["T"] - tau) + u * tau) / self.g["T"]
            c = control["u"] / self.eta
            cut = c >= 1 or control["stage"] >= self.max_stage
            rate = control["R"] / c + self.addition if cut else control["R"] + self.addition
            rate = min(max(rate, self.floor), self.max)
            rates.append(rate)
            if full:
                control["R"] = rate
                control["stage"] = 0 if cut else control["stage"] + 1
        self.rate = min(rates)
        if full:
            self.last_update = sent

    def state(self):
        by = {"variable": self.rate, "fixed": self.max, "none": 0}[self.window]
        window = int(by * self.g["T"] / SECOND / 8)
        return self.rate, window, self.hops[0]["u"], self.hops[0]["stage"]


class Pint(Window):
    """U comes from the switches; digests are codes of 1/512 x 1.05^(code - 1)."""

    def answer(self, acked, sent, digest, hops):
        if digest == 0:
            return
        if self.L is None:
            self.L, self.last_update = (), sent
            return
        full = acked > self.last_update
        self.U = F(1, 512) * F(105, 100) ** (digest - 1)
        self.compute(full)
        if full:
            self.last_update = sent


class Path:
    """Hops whose counters go on by what a step says."""

    def __init__(self, rates, first=10):
        self.hops = [
            dict(switch=first + i, port=i + 1, tx=5000 * i, queue=0, time=i * US, rate=rate)
            for i, rate in enumerate(rates)
        ]

    def tell(self, interval, *changes):
        """interval in ps; of each hop bytes sent and the queue now."""
        for hop, (tx, queue) in zip(self.hops, changes):
            hop["time"] += interval
            hop["tx"] += tx
            hop["queue"] = queue
        return [dict(hop) for hop in self.hops]


def show(number):
    return repr(float(number)) if isinstance(number, F) else str(number)


def run(name, type_name, attributes, given, machine, answers):
    print(f"case,{name},{type_name}")
    for attribute, value in attributes.items():
        print(f"attribute,{attribute},{value}")
    print(f"given,{given['rate']},{given['mtu']},{given['frame']},{given['T']}")
    for acked, sent, digest, hops in answers:
        machine.answer(acked, sent, digest, hops)
        line = ["step", 0, 0, acked, sent, digest, -1 if hops is None else len(hops)]
        for hop in hops or []:
            line += [hop[key] for key in ("switch", "port", "tx", "queue", "time", "rate")]
        print(",".join(str(item) for item in line + [show(item) for item in machine.state()]))


def paper_answers():
    """100 Gb/s is 12500 bytes a microsecond; T is 10 us, so W begins at 125000."""
    path = Path([400 * G, 100 * G])
    a = []
    a.append((1000, 100000, 0, path.tell(US, (0, 0), (0, 0))))  # first one of the path
    a.append((11000, 110000, 0, path.tell(US, (12500, 0), (12500, 4000))))  # full; U stays 1
    a.append((21000, 120000, 0, path.tell(US, (12500, 0), (12500, 9000))))  # queue grows
    a.append((100001, 200000, 0, path.tell(2 * US, (25000, 0), (25000, 20000))))  # round ends: cut
    a.append((110000, 210000, 0, path.tell(US, (9000, 0), (12500, 8000))))  # same reference
    a.append((120000, 220000, 0, path.tell(US, (9000, 0), (12500, 2000))))
    a.append((200001, 260000, 0, path.tell(8 * US, (40000, 0), (60000, 0))))  # below eta: stage 1
    a.append((210000, 265000, 0, path.tell(3 * US, (15000, 0), (30000, 0))))  # not counted twice
    for round_number in range(4):  # stages 2 to 5
        base = 260001 + 60000 * round_number
        a.append((base, base + 59999, 0, path.tell(10 * US, (80000, 0), (100000, 0))))
    a.append((500001, 560000, 0, path.tell(10 * US, (80000, 0), (100000, 0))))  # 5 additions: by U
    a.append((500001, 560000, 0, None))  # an answer without telemetry
    a.append((500001, 560000, 0, []))  # one without hops
    old = path.tell(0, (0, 0), (0, 0))
    for hop in old:
        hop["time"] -= US
    a.append((510000, 570000, 0, old))  # an older one
    a.append((520000, 580000, 0, path.tell(25 * US, (300000, 0), (312500, 50000))))  # longer than T
    a.append((560001, 600000, 0, path.tell(2 * US, (80000, 90000), (20000, 50000))))  # other hop
    other = Path([400 * G, 200 * G, 100 * G], 20)
    a.append((570000, 610000, 0, other.tell(US, (1, 1), (1, 1), (1, 1))))  # another path
    a.append((580000, 620000, 0, other.tell(5 * US, (9000, 0), (9000, 0), (9000, 0))))
    a.append((610001, 630000, 0, other.tell(20 * US, (0, 0), (0, 0), (0, 0))))  # idle: stage
    for round_number in range(5):
        base = 630001 + 10000 * round_number
        a.append((base, base + 9999, 0, other.tell(15 * US, (0, 0), (0, 0), (0, 0))))
    a.append((690001, 700000, 0, other.tell(10 * US, (0, 0), (0, 0), (900000, 800000))))  # overload
    a.append((700001, 710000, 0, other.tell(10 * US, (0, 0), (0, 0), (125000, 800000))))
    return a


def rate_answers():
    path = Path([100 * G, 40 * G])
    a = [(1000, 50000, 0, path.tell(US, (0, 0), (0, 0)))]
    acked = 1000
    loads = [
        (2, 20000, 0, 10000, 0),
        (2, 20000, 1000, 10000, 3000),
        (5, 60000, 2000, 25000, 9000),
        (10, 110000, 0, 50000, 20000),
        (12, 140000, 0, 60000, 9000),
        (4, 20000, 0, 10000, 0),
        (4, 20000, 0, 10000, 0),
        (10, 2000, 0, 1000, 0),
        (10, 125000, 200000, 50000, 400000),
        (10, 125000, 300000, 50000, 900000),
        (10, 125000, 300000, 50000, 9000000),
        (10, 125000, 300000, 50000, 9000000),
        (10, 12500, 0, 5000, 0),
    ]
    for number, (us, tx1, queue1, tx2, queue2) in enumerate(loads):
        acked += 30000 if number % 3 else 5000
        a.append((acked, acked + 40000, 0, path.tell(us * US, (tx1, queue1), (tx2, queue2))))
    other = Path([100 * G, 40 * G, 100 * G], 30)
    a.append((acked + 1000, acked + 50000, 0, other.tell(US, (1, 1), (1, 1), (1, 1))))
    for number in range(8):
        acked += 27000
        told = other.tell(6 * US, (9000, 0), (30000, 3000), (9000 * number, 0))
        a.append((acked, acked + 45000, 0, told))
    return a


def pint_answers():
    digests = [100, 130, 0, 128, 126, 127, 127, 126, 120, 120, 110, 120, 118, 118, 118, 118, 118]
    digests += [118, 1, 255, 255, 140, 131]
    a, acked, sent = [], 0, 40000
    for number, digest in enumerate(digests):
        acked += 25000 if number % 2 else 8000
        sent = acked + 30000
        a.append((acked, sent, digest, []))
    return a


def main():
    given = dict(rate=100 * G, mtu=1000, frame=1100, T=10 * US)
    run("paper", "ns3::HpccCongestionOps", {}, given, Window(given), paper_answers())
    run(
        "no-fast-react",
        "ns3::HpccCongestionOps",
        {"FastReact": "false", "Eta": "0.9", "MaxStage": "2", "WindowAi": "500"},
        given,
        Window(given, F(9, 10), 2, 500, False),
        paper_answers(),
    )
    simulator = {"Form": "Rate", "RateAi": "40Mbps", "MinRate": "1Gbps", "MaxStage": "0"}
    add, floor = F(40 * 10**6), F(G)
    run(
        "simulator",
        "ns3::HpccCongestionOps",
        simulator,
        given,
        Rates(given, False, add, floor),
        rate_answers(),
    )
    run(
        "simulator-multiple-rates",
        "ns3::HpccCongestionOps",
        {**simulator, "MultipleRates": "true", "MaxStage": "3", "VariableWindow": "false"},
        given,
        Rates(given, True, add, floor, 3, "fixed"),
        rate_answers(),
    )
    run(
        "simulator-no-window",
        "ns3::HpccCongestionOps",
        {**simulator, "MaxStage": "1", "HasWindow": "false"},
        given,
        Rates(given, False, add, floor, 1, "none"),
        rate_answers(),
    )
    run("pint", "ns3::HpccPintCongestionOps", {}, given, Pint(given), pint_answers())


main()
