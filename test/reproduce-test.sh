#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Papers' experiments: all can be read with every variant; the short forms of some run, and their
# expectations hold; a bad name, a band that is missed and a run that fails are told.

program=$AI_FABRIC_PROGRAM
if [ ! -x "$program" ]; then
    echo "skipped: there is no program '$program'"
    exit 77
fi
papers=$AI_FABRIC_SOURCE_DIR/examples/scenarios/papers
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

failed=0
complain() {
    echo "$*"
    failed=$((failed + 1))
}
expect() { # expect STATUS PART-OF-THE-OUTPUT ARGUMENT...: what reproduce does
    local status=$1 part=$2 output found
    shift 2
    output=$("$program" reproduce --papers "$papers" "$@" 2>&1)
    found=$?
    [ $found -eq "$status" ] || complain "reproduce $*: exit status $found, not $status: $output"
    case $output in
    *"$part"*) ;;
    *) complain "reproduce $*: no '$part' in: $output" ;;
    esac
}

total=0
for file in "$papers"/*.json; do
    name=$(basename "$file" .json)
    expect 0 '' "$name" --check
    grep -q "^| $name |" "$papers/README.md" || complain "$name has no line in README.md"
    total=$((total + 1))
done

# Each in less than some seconds.
for name in hpcc-2-to-1 hpcc-incast powertcp-burst powertcp-incast dcqcn-parking-lot dcqcn-fairness \
    timely-convergence timely-oscillation swift-target dcqcn-incast-degree hpcc-fb-hadoop-30; do
    expect 0 'expectations hold' "$name" --out "$out/$name"
    [ -s "$out/$name/data.csv" ] && [ -s "$out/$name/expectations.csv" ] &&
        [ -s "$out/$name/report.html" ] && ls "$out/$name"/*.svg >/dev/null ||
        complain "$name: not all files are there"
done

# The same seeds give the same figures.
expect 0 'expectations hold' hpcc-2-to-1 --out "$out/again" --jobs 1
cmp "$out/hpcc-2-to-1/data.csv" "$out/again/data.csv" || complain "hpcc-2-to-1 differs"

expect 2 'expected "hpcc-2-to-1"' hpcc-2-to-2
expect 2 'no name was given'
expect 2 'no such option' hpcc-2-to-1 --fast
expect 0 'HPCC: a second flow joins' --list
sed 's/"min": 80,/"min": 99,/' "$papers/hpcc-2-to-1.json" >"$out/off.json"
expect 1 'off' "$out/off.json" --out "$out/off"
sed 's/"stop": "2ms"/"stop": "two"/' "$papers/hpcc-2-to-1.json" >"$out/bad.json"
expect 2 'stop' "$out/bad.json" --out "$out/bad"
sed 's/"stop": "2ms"/"stop": "0s", "faults": [ { "type": "link-down", "link": "host2-switch", "at": "100us" } ]/' \
    "$papers/hpcc-2-to-1.json" >"$out/fails.json"
expect 1 'the run hpcc seed-1 has failed' "$out/fails.json" --out "$out/fails" --jobs 1

echo "$total experiments, $failed complaints"
[ $failed -eq 0 ] && [ $total -ge 19 ]
