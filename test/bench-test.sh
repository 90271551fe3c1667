#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The benchmarks' workloads are those that other simulators were measured with: so many data
# packet-hops, by the flow files (2 links under one leaf, 4 over a spine) and as a run counts them, with
# few events for each. And the 32-GPU case gives the same bytes each time.

set -euo pipefail

bench=$AI_FABRIC_SOURCE_DIR/examples/scenarios/bench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() { # expect WHAT FOUND EXPECTED
    [[ $2 == "$3" ]] || { echo "$1: $2 instead of $3"; exit 1; }
    echo "$1: $2"
}

by_flows() { # by_flows FLOWS-FILE HOSTS-PER-LEAF PAYLOAD
    sed 1d "$1" | awk -v leaf="$2" -v payload="$3" '
        { hops += $5 / payload * (int($1 / leaf) == int($2 / leaf) ? 2 : 4) } END { printf "%.0f", hops }'
}

run() { # run NAME FOLDER
    "$AI_FABRIC_PROGRAM" run "$bench/$1.json" --quiet --out "$folder/$2" >/dev/null
}

column() { # column FOLDER NAME: its sum over all links
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) column = i }
        NR > 1 { sum += $column }
        END { printf "%.0f", sum }' "$folder/$1/links.csv"
}

by_run() { # by_run FOLDER PAYLOAD
    echo $(($(column "$1" tx_payload_bytes) / $2))
}

expect_few_events() { # expect_few_events FOLDER MOST: hundredths of an event for a hop of any frame
    local events hops
    events=$(sed -nE 's/^ *"events": ([0-9]+),?$/\1/p' "$folder/$1/manifest.json")
    hops=$(column "$1" tx_frames)
    echo "events of $1: $events, hops $hops"
    # A frame has an arrival a hop, and where it waits for its port a wake-up of the port.
    [[ $events -gt $hops && $((100 * events)) -le $(($2 * hops)) ]] || exit 1
}

expect "hops of W1 by its flows" "$(by_flows "$bench/w1-incast.flows.txt" 16 1000)" 120000
expect "hops of W2 by its flows" "$(by_flows "$bench/w2-permutation.flows.txt" 4 1000)" 1024000
expect "hops of W3 by its flows" "$(by_flows "$bench/w3-shift.flows.txt" 16 4096)" 1048576
expect "hops of W4 by its flows" "$(by_flows "$bench/w4-permutation.flows.txt" 32 1000)" 4022000

run w1-incast w1
expect "hops of W1 as run" "$(by_run w1 1000)" 120000
run w2-permutation w2
expect "hops of W2 as run" "$(by_run w2 1000)" 1024000
expect_few_events w2 150
run w3-shift w3
expect "hops of W3 as run" "$(by_run w3 4096)" 1048576
expect_few_events w3 150

# 2 (n - 1) / n of the data leave each of n = 32 GPUs, over two links; and for each message between
# servers, on 8 channels from 4 servers in 2 (n - 1) moves of both sizes, the receiver writes 64 bytes to
# say that its slot is free.
run simai-32 once
run simai-32 again
least=$((2 * 2 * 31 * (16 + 64) * 1024 * 1024))
most=$((least + 2 * 64 * 8 * 4 * 2 * 31 * 2)) # the last ones are under way when the run ends
bytes=$(by_run once 1)
[[ $bytes -ge $least && $bytes -le $most ]] || { echo "the 32-GPU case: $bytes bytes"; exit 1; }
for file in links.csv collectives.csv summary.json; do
    cmp "$folder/once/$file" "$folder/again/$file"
done
