#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csg-htsim on workloads W1 to W4, each run between two of ours: the ratio of processor times of one
# minute on one machine.
#
#   git clone https://github.com/Broadcom/csg-htsim HTSIM
#   test/bench/htsim.sh HTSIM [w1|w2|w3|w4]...
#
# Its htsim_roce: packets without bytes, PFC at ingress queues, line rate without congestion control,
# go-back-n, an acknowledgement a packet. A packet has 64 B besides its payload. Needs ./ai-fabric bench
# to have built once.

set -euo pipefail

root=$(dirname "$(readlink -f "$0")")/../..
build=${AI_FABRIC_BUILD_DIR:-$root/build}
[[ $# -gt 0 ]] || { sed -n '3,12s/^# \?//p' "$0" >&2; exit 2; }
sim=$1/sim
shift
[[ $# -gt 0 ]] || set -- w1 w2 w3 w4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ ! -x $sim/datacenter/htsim_roce ]]; then
    echo "building htsim_roce" >&2
    flags="-std=c++11 -O3 -fPIE"
    make -s -C "$sim" libhtsim.a CFLAGS="$flags" -j"$(nproc)" >"$work/make.log" 2>&1 &&
        make -s -C "$sim/datacenter" htsim_roce CFLAGS="$flags" -j"$(nproc)" >>"$work/make.log" 2>&1 ||
        { tail "$work/make.log" >&2; exit 1; }
fi

topology() { # topology HOSTS HOSTS-PER-LEAF SPINES GBPS
    cat <<END
Nodes $1
Tiers 2
Podsize $1

Tier 0
Downlink_speed_Gbps $4
Radix_Down $2
Radix_Up $3
Downlink_Latency_ns 1000
Switch_Latency_ns 0

Tier 1
Downlink_speed_Gbps $4
Radix_Down $(($1 / $2))
Downlink_Latency_ns 1000
Switch_Latency_ns 0
END
}

matrix() { # matrix HOSTS FLOWS-FILE: our flow file as theirs
    echo "Nodes $1"
    echo "Connections $(sed 1d "$2" | wc -l)"
    sed 1d "$2" | awk '{ print $1 "->" $2 " start 0 size " $5 }'
}

cpu() { # cpu COMMAND...: its seconds of processor; what it says goes to the log
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/log" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

printf '%-16s %10s %10s %10s %8s\n' workload "ours, s" "htsim, s" "ours, s" ratio
for name; do
    # hosts, hosts of a leaf, spines, rate, payload, time at which the last flow has ended (us)
    case $name in
        w1) shape=(16 16 16 100 1000 6000) ;; # one leaf has all; the spines stand idle
        w2) shape=(16 4 4 100 1000 20000) ;;
        w3) shape=(128 16 16 400 4096 4000) ;;
        w4) shape=(1024 32 32 100 1000 4000) ;;
        *) echo "no workload $name" >&2; exit 2 ;;
    esac
    scenario=$(ls "$root"/examples/scenarios/bench/"$name"-*.json)
    topology "${shape[@]:0:4}" >"$work/topo"
    matrix "${shape[0]}" "${scenario%.json}.flows.txt" >"$work/tm"
    ours=("$build/examples/ai-fabric-run" run "$scenario" --quiet --out "$work/out")
    htsim=("$sim/datacenter/htsim_roce" -topo "$work/topo" -tm "$work/tm" -nodes "${shape[0]}" -tiers 2
        -linkspeed "${shape[3]}000" -mtu "${shape[4]}" -end "${shape[5]}" -hop_latency 1 -q 100000
        -pfc_thresholds 1000 1200 -strat ecmp_host -paths 64 -o "$work/logout")
    first=$(cpu "${ours[@]}")
    theirs=$(cpu "${htsim[@]}")
    finished=$(grep -c finished "$work/log" || true)
    second=$(cpu "${ours[@]}")
    [[ $finished -eq $(($(wc -l <"$work/tm") - 2)) ]] ||
        echo "$name: only $finished flows of htsim ended" >&2
    printf '%-16s %10s %10s %10s %8s\n' "$(basename "${scenario%.json}")" "$first" "$theirs" "$second" \
        "$(awk -v a="$first" -v b="$theirs" -v c="$second" 'BEGIN { printf "%.2f", 2 * b / (a + c) }')"
done
