#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The program on every file of data/bad-input: exit status 2, and a message on stderr that names the
# place of the fault (the first part of the file's line in index.txt).

program=$AI_FABRIC_PROGRAM
if [ ! -x "$program" ]; then
    echo "skipped: there is no program '$program'"
    exit 77
fi
here=$(cd "$(dirname "$0")/data/bad-input" && pwd) || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

total=0
failed=0
complain() {
    echo "$1: $2"
    failed=$((failed + 1))
}

while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    file=${line%% | *}
    rest=${line#* | }
    place=${rest%% | *}
    case $file in
    *.config.txt) arguments=(run --hpcc "$here/$file") ;;
    *) arguments=(run "$here/$file") ;;
    esac
    message=$("$program" "${arguments[@]}" --out "$out/results" --quiet 2>&1 >/dev/null)
    status=$?
    total=$((total + 1))
    [ $status -eq 2 ] || complain "$file" "exit status $status instead of 2"
    case $message in
    *"$place"*) ;;
    *) complain "$file" "no '$place' in: $message" ;;
    esac
done <"$here/index.txt"

echo "$total files, $failed complaints"
[ $failed -eq 0 ] && [ $total -ge 45 ]
