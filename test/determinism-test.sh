#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same scenario gives the same bytes, in every build: the results of small runs have the hashes
# that are stored in data/golden.sha256. Release and sanitizer builds run this same test.
#
# After a change that is meant to change results, renew the file with
#     AI_FABRIC_PROGRAM=... AI_FABRIC_SOURCE_DIR=... test/determinism-test.sh --renew

set -euo pipefail

golden=$AI_FABRIC_SOURCE_DIR/test/data/golden.sha256
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
scenarios=$AI_FABRIC_SOURCE_DIR/examples/scenarios

"$AI_FABRIC_PROGRAM" run "$scenarios/quickstart.json" --quiet --out quickstart \
    --set 'jobs[0].workload.sizes=1MiB:4MiB:2' >/dev/null
"$AI_FABRIC_PROGRAM" run "$scenarios/incast.json" --quiet --out incast >/dev/null
# PFC alone.
"$AI_FABRIC_PROGRAM" run "$scenarios/incast.json" --quiet --out incast-pfc \
    --set network.congestionControl=none >/dev/null
# Faults: a link that fails, a slow receiver, and a deadlock, which ends with exit status 3.
for name in link-failure slow-receiver deadlock-triangle; do
    "$AI_FABRIC_PROGRAM" run "$scenarios/$name.json" --quiet --out $name >/dev/null 2>&1 || [ $? -eq 3 ]
done

files=({quickstart,incast,incast-pfc}/{messages,links}.csv quickstart/collectives.csv
    {quickstart,incast,incast-pfc}/summary.json
    {link-failure,slow-receiver,deadlock-triangle}/{messages,links}.csv
    {link-failure,slow-receiver,deadlock-triangle}/summary.json
    link-failure/{faults,drops}.csv)
if [[ ${1:-} == --renew ]]; then
    sha256sum "${files[@]}" >"$golden"
else
    sha256sum --check "$golden"
fi
