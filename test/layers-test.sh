#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An include goes down the list of layers or stays in its folder, never up.

set -euo pipefail
cd "$AI_FABRIC_SOURCE_DIR"

# What each folder may include, besides itself and ns-3 (doc/ai-fabric.rst has the list).
declare -A allowed=(
    [model/simulator]=""
    [model/wire]="model/simulator"
    [model/link]="model/simulator model/wire"
    [model/switch]="model/simulator model/wire model/link"
    [model/congestion]="model/wire"
    [model/transport]="model/simulator model/wire model/link model/congestion"
    [model/gpu]="model/wire model/link model/transport"
    [model/collective]="model/wire model/link model/transport model/gpu"
    [model/workload]="model/wire model/link model/transport model/gpu model/collective"
    [model/analysis]="model/wire model/link model/switch model/congestion model/transport model/gpu
                      model/collective model/workload"
)

declare -A folder_of
for header in model/*/*.h helper/*/*.h; do
    name=${header##*/}; folder_of[$name]=${header%/*}
done

faults=0
checked=0
for file in model/*/*.h model/*/*.cc; do
    folder=${file%/*}
    while read -r name; do
        target=${folder_of[$name]:-}
        [[ -n $target && $target != "$folder" ]] || continue
        checked=$((checked + 1))
        if ! [[ " ${allowed[$folder]//$'\n'/ } " == *" $target "* ]]; then
            echo "$file includes $target/$name, which is not below $folder"
            faults=$((faults + 1))
        fi
    done < <(sed -nE 's/^#include "(ns3\/)?([^"]+)".*/\2/p' "$file")
done

echo "$checked includes between layers, $faults that go up"
[[ $faults -eq 0 && $checked -gt 30 ]]
