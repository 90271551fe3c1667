#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A run that is divided over processes writes the bytes that one process writes: for pods and a graph
# cut, two and three processes, our simulator and both MPI simulators of ns-3; flows under PFC, ECN and
# INT, and an all-reduce. One process writes the same on ns-3's default simulator. What cannot be
# divided is refused. Needs a program that was built with an ns-3 with MPI, and mpirun: else only one
# process and the refusals are tested, and the rest is skipped.

set -euo pipefail

program=$AI_FABRIC_PROGRAM
scenarios=$AI_FABRIC_SOURCE_DIR/examples/scenarios
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "distributed-test: $*" >&2; exit 1; }

expect_refusal() { # expect_refusal TEXT ARGUMENT...: exit status 2, and the text
    local text=$1 status=0
    shift
    "$program" run "$@" --quiet --out refused >out.txt 2>err.txt || status=$?
    [[ $status -eq 2 ]] || fail "$*: exit status $status instead of 2"
    grep -q -- "$text" err.txt || fail "$*: no \"$text\" in: $(cat err.txt)"
}

expect_refusal "cannot be divided" "$scenarios/link-failure.json" --distributed
expect_refusal "pod, rail or cut" "$scenarios/distributed.json" --distributed=slices
OMPI_COMM_WORLD_SIZE=2 expect_refusal "--distributed" "$scenarios/distributed.json"

expect_refusal "fabric, granted-time-window or null-message" "$scenarios/distributed.json" \
    --distributed --simulator=default

same() { # same FOLDER FOLDER: but for the manifest, which names the machine and the wall time
    diff -r -q -x manifest.json "$1" "$2" >&2 || fail "$1 and $2 differ"
}

"$program" run "$scenarios/distributed.json" --distributed --quiet --out on-ours >/dev/null
NS_GLOBAL_VALUE="SimulatorImplementationType=ns3::DefaultSimulatorImpl" \
    "$program" run "$scenarios/distributed.json" --distributed --quiet --out on-default >/dev/null
same on-ours on-default

if ! ldd "$program" | grep -q 'libmpi' || ! command -v mpirun >/dev/null; then
    OMPI_COMM_WORLD_SIZE=2 expect_refusal "has no MPI" "$scenarios/distributed.json" --distributed
    echo "skipped: this program was built with an ns-3 without MPI, or there is no mpirun"
    exit 77
fi

together() { # together PROCESSES NAME ARGUMENT...
    local processes=$1 name=$2
    shift 2
    local root=()
    [[ $(id -u) -ne 0 ]] || root=(--allow-run-as-root)
    mpirun "${root[@]}" --oversubscribe -np "$processes" \
        "$program" run "$@" --quiet --out "$name" >"$name.txt" 2>"$name.err" ||
        fail "$processes processes, $*: $(cat "$name.err")"
}

compare() { # compare NAME KIND ARGUMENT...
    local name=$1 kind=$2
    shift 2
    "$program" run "$@" --distributed --quiet --out "$name-1" >/dev/null
    together 2 "$name-$kind" "$@" --distributed=$kind
    same "$name-1" "$name-$kind"
    together 3 "$name-cut" "$@" --distributed=cut
    same "$name-1" "$name-cut"
    for simulator in granted-time-window null-message; do
        together 2 "$name-$simulator" "$@" --distributed=cut --simulator=$simulator
        same "$name-1" "$name-$simulator"
    done
}

compare flows pod "$scenarios/distributed.json"
compare pfc pod "$scenarios/distributed.json" --set network.congestionControl=none \
    --set network.buffer=1MiB
compare int pod "$scenarios/distributed.json" --set network.congestionControl=hpcc
compare lossy pod "$scenarios/distributed.json" --set network.pfc=false \
    --set network.reliability=selective-repeat --set network.buffer=1MiB
compare collective rail "$scenarios/quickstart.json" --set 'jobs[0].workload.sizes=4MiB' \
    --set topology.servers=3 --set topology.gpusPerServer=4
