#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sweeps: the product of the values is run, each run as if alone; the table has them all; what is done
# is not done again, unless its inputs changed; bad values end the sweep before anything runs; runs that
# fail or stall are told; Ctrl-C leaves what has ended.

program=$AI_FABRIC_PROGRAM
if [ ! -x "$program" ]; then
    echo "skipped: there is no program '$program'"
    exit 77
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1

failed=0
complain() {
    echo "$*"
    failed=$((failed + 1))
}
expect() { # expect STATUS PART-OF-THE-OUTPUT ARGUMENT...: what sweep does
    local status=$1 part=$2 found
    shift 2
    output=$("$program" sweep "$@" 2>&1)
    found=$?
    [ $found -eq "$status" ] || complain "sweep $*: exit status $found, not $status: $output"
    case $output in
    *"$part"*) ;;
    *) complain "sweep $*: no '$part' in: $output" ;;
    esac
}
column() { # column FILE NAME: the values of a column, in one line; no cell has a comma in quotes before it
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        { printf "%s%s", (NR > 2 ? " " : ""), $c }' "$1"
}

cat >small.json <<'END'
{ "topology": { "type": "star", "hosts": 3, "linkRate": "100Gbps", "linkDelay": "1us" },
  "network": { "congestionControl": { "name": "dcqcn", "preset": "hpcc-simulator" } },
  "jobs": [ { "name": "incast", "workload": { "type": "flows", "flows": [
      { "source": 0, "destination": 2, "bytes": "100KB" },
      { "source": 1, "destination": 2, "bytes": "100KB" } ] } } ],
  "output": { "report": false } }
END

# ---- the product, in order, the last axis fastest; each run is what `run` does alone
expect 0 '6 are new' small.json --out a --vary network.mtu=1024,2048,4096 \
    --vary network.congestionControl=none,hpcc
[ "$(column a/sweep.csv network.mtu)" = "1024 1024 2048 2048 4096 4096" ] || complain "order of mtu"
[ "$(column a/sweep.csv network.congestionControl)" = "none hpcc none hpcc none hpcc" ] ||
    complain "order of congestionControl"
[ "$(column a/sweep.csv status)" = "0 0 0 0 0 0" ] || complain "status: $(column a/sweep.csv status)"
[ "$(column a/sweep.csv flows.completed)" = "2 2 2 2 2 2" ] || complain "flows.completed"
"$program" run small.json --quiet --out alone --set network.mtu=2048 \
    --set network.congestionControl=hpcc >/dev/null || complain "the run alone fails"
cmp alone/summary.json "a/runs/mtu=2048,congestionControl=hpcc/summary.json" ||
    complain "a run of the sweep differs from the same run alone"
grep -q '<svg' a/report.html || complain "report.html has no plot"
# A page that needs nothing from elsewhere: no address but the names of SVG's elements.
sed 's|http://www.w3.org/2000/svg||g' a/report.html | grep -q 'https\?://' && complain "report.html links"
# mtu is numeric, so a curve for each congestion control; what does not differ is not in the tables
grep -q '>congestionControl hpcc<' a/report.html || complain "report.html has no curve of hpcc"
grep -q 'drops' a/report.html && complain "report.html shows drops, which are 0 everywhere"

# ---- resuming
before=$(stat -c %Y.%i "a/runs/mtu=1024,congestionControl=none/summary.json")
expect 0 '6 were done before' small.json --out a --vary network.mtu=1024,2048,4096 \
    --vary network.congestionControl=none,hpcc
[ "$before" = "$(stat -c %Y.%i "a/runs/mtu=1024,congestionControl=none/summary.json")" ] ||
    complain "a run that was done is done again"
case $output in *'time us'*) ;; *) complain "no table where nothing is new: $output" ;; esac
expect 0 '6 were done before, with the same inputs, and are not done again; 3 are new' small.json --out a \
    --vary network.mtu=1024,2048,4096 --vary network.congestionControl=none,hpcc,dcqcn
rm "a/runs/mtu=1024,congestionControl=none/run.json" # as one that was interrupted
expect 0 '8 were done before, with the same inputs, and are not done again; 1 are new' small.json --out a \
    --vary network.mtu=1024,2048,4096 --vary network.congestionControl=none,hpcc,dcqcn
# other blanks are the same inputs; another length of a flow is not
sed -i 's/100KB" } \] } } \],/100KB" } ] } } ],  /' small.json
expect 0 '9 were done before' small.json --out a \
    --vary network.mtu=1024,2048,4096 --vary network.congestionControl=none,hpcc,dcqcn
expect 0 '9 are done again, their inputs have changed' small.json --out a --set jobs.0.workload.flows.0.bytes=50KB \
    --vary network.mtu=1024,2048,4096 --vary network.congestionControl=none,hpcc,dcqcn
sed -i 's/"program": "[^"]*"/"program": "an older one"/' "a/runs/mtu=2048,congestionControl=dcqcn/run.json"
expect 0 '1 are done again, the program has changed' small.json --out a --set jobs.0.workload.flows.0.bytes=50KB \
    --vary network.mtu=1024,2048,4096 --vary network.congestionControl=none,hpcc,dcqcn
# a file that the scenario names is an input
printf '1\n0 2 3 100 100000 0\n' >flows.txt
file_jobs='jobs=[{"name":"f","workload":{"type":"flows","file":"flows.txt"}}]'
expect 0 '2 are new' small.json --out files --set "$file_jobs" --vary network.mtu=1024,4096
expect 0 '2 were done before' small.json --out files --set "$file_jobs" --vary network.mtu=1024,4096
printf '1\n0 2 3 100 200000 0\n' >flows.txt
expect 0 '2 are done again, their inputs have changed' small.json --out files --set "$file_jobs" \
    --vary network.mtu=1024,4096
expect 0 '2 are done again, as --again says' small.json --out files --set "$file_jobs" \
    --vary network.mtu=1024,4096 --again

# ---- seeds, and means of them
expect 0 'means over seeds 1 to 2' small.json --out seeds --vary network.mtu=1024,4096 --seeds 2
[ "$(column seeds/sweep.csv seed)" = "1 2 1 2" ] || complain "seeds: $(column seeds/sweep.csv seed)"
[ "$(column seeds/means.csv runs_that_ended_well)" = "2 of 2 2 of 2" ] || complain "means.csv"
expect 0 '3 are new' small.json --out seeds --seeds 3

# ---- commas in values
expect 0 '2 are new' small.json --out lists --vary 'network.pfc.classes=[3],[3,4]'
[ "$(cut -d, -f1 lists/sweep.csv | sed -n 2p)" = '[3]' ] || complain "lists: $(cat lists/sweep.csv)"
expect 0 '2 are new' small.json --out lists --vary 'name="a, b",c'
expect 0 '2 are new' small.json --out lists \
    --vary 'network.congestionControl={"name": "dcqcn", "preset": "paper"},none'

# ---- bad input: nothing runs
bad() { # bad PART ARGUMENT...
    local part=$1
    shift
    rm -rf bad
    expect 2 "$part" "$@" --out bad
    [ ! -e bad ] || complain "sweep $*: something was run"
}
bad '--vary network.mtu=12: network.mtu: 12 is out of range; expected a whole number, 64 to 9000' \
    small.json --vary network.mtu=4096,12
bad 'did you mean "mtu"' small.json --vary network.mtuu=4096
bad 'is varied twice' small.json --vary network.mtu=4096 --vary network.mtu=1024
bad 'is there twice' small.json --vary network.mtu=4096,4096
bad 'a value is empty' small.json --vary network.mtu=4096,,1024
bad 'brackets do not match' small.json --vary 'network.pfc.classes=[3,4'
bad 'a quote is not closed' small.json --vary 'name="a,b'
bad 'is not JSON' small.json --vary 'network.pfc.classes=[3 4]'
bad 'names no values' small.json --vary network.mtu
bad 'nothing is varied' small.json
bad 'is varied' small.json --vary network.mtu=4096 --set network.mtu=1024
bad '--seeds is there' small.json --vary seed=1,2 --seeds 2
bad 'makes more than 100000 runs' small.json --vary "seed=$(seq -s, 400)" --vary "network.mtu=$(seq -s, 1000 1400)"
bad 'cannot be read' none.json --vary network.mtu=4096
bad 'no scenario' --vary network.mtu=4096
bad 'no such option' small.json --vary network.mtu=4096 --fast

# ---- runs that fail: a queue pair that gives up (3), memory that headroom does not fit in (2)
fault='faults=[{"type":"link-down","link":["host0","switch"],"at":"1us"}]'
expect 3 'has stalled or failed, exit status 3' small.json --out fails --set "$fault" \
    --vary network.timeout=8,9
expect 3 '2 were done before' small.json --out fails --set "$fault" --vary network.timeout=8,9
expect 1 'failed, exit status 2' small.json --out memory --vary network.buffer.size=64MiB,10KB
[ "$(column memory/sweep.csv status)" = "0 2" ] || complain "memory: $(cat memory/sweep.csv)"
expect 1 '1 are done again, they had not ended as a run should' small.json --out memory \
    --vary network.buffer.size=64MiB,10KB

# ---- Ctrl-C: what has ended is kept
"$program" sweep small.json --out stop --jobs 1 --vary "jobs.0.workload.flows.0.bytes=1KB,4GB" \
    >stop.txt 2>&1 &
sweep=$!
for _ in $(seq 600); do
    [ -e "stop/runs/bytes=1KB/run.json" ] && break
    sleep 0.1
done
kill -INT $sweep
wait $sweep
[ $? -eq 130 ] || complain "after Ctrl-C: exit status $?"
grep -q 'the same command goes on' stop.txt || complain "after Ctrl-C: $(cat stop.txt)"
[ -e "stop/runs/bytes=1KB/summary.json" ] || complain "Ctrl-C has taken a run that had ended"
[ -e "stop/runs/bytes=4GB/run.json" ] && complain "the interrupted run counts as done"
expect 0 '1 were done before' small.json --out stop --jobs 1 --vary "jobs.0.workload.flows.0.bytes=1KB"

echo "$failed complaints"
[ $failed -eq 0 ]
