#!/usr/bin/env bash
# Times one answer with the index open (p50, p90, p99, stages) and the whole process from the start, on a whole catalog.
#
#   bench/recommend.sh PAPERS.jsonl[.zst] CITATIONS.jsonl[.zst] [WORK_FOLDER]
#
# Builds the program and recommend_path into the work folder (BUILD: use that build folder instead), imports and indexes
# (WORKSPACE: use that workspace instead, which has its index), asks 100 papers of CITATIONS' newest year, and writes
# result.json into the work folder. The machine should be idle.
set -euo pipefail

papers=${1:?usage: recommend.sh PAPERS CITATIONS [WORK_FOLDER]}
citations=${2:?usage: recommend.sh PAPERS CITATIONS [WORK_FOLDER]}
work=${3:-$(mktemp -d)}
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$work/build}
workspace=${WORKSPACE:-$work/workspace}
mkdir -p "$work"

if [[ ! -x $build/bench/recommend_path ]]; then
  cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DMUSTCITE_BENCH=ON -DMUSTCITE_TESTS=OFF >/dev/null
  cmake --build "$build" --target mustcite recommend_path
fi
mustcite=("$build/bin/mustcite" --quiet --workspace "$workspace")
if [[ ! -d $workspace/index/catalog ]]; then
  "${mustcite[@]}" init
  "${mustcite[@]}" import papers "$papers"
  "${mustcite[@]}" import citations "$citations"
  "${mustcite[@]}" index build
fi
python3 "$root/bench/recommend_cold.py" queries "$papers" "$citations" "$work/queries.jsonl"
"$build/bench/recommend_path" "$workspace/index/catalog" "$root/data/models/ranker" "$work/queries.jsonl" 0 >"$work/open.json"
python3 "$root/bench/recommend_cold.py" measure "$work" "${mustcite[@]}" recommend --model "$root/data/models/ranker"
cat "$work/result.json"
