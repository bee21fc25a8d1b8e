#!/usr/bin/env bash
# Measures our sparse search against bm25s, Lucene and rank_bm25 in one run and writes docs/benchmarks/sparse.md,
# and the same as result.json in the work folder.
#
#   bench/rivals/sparse.sh PAPERS.jsonl[.zst] [WORK_FOLDER [TABLE]]
#
# Needs cmake, python3 with venv, java 17 and mvn; fetches the rivals itself into WORK_FOLDER. The machine should be
# idle. Settings by environment: VENV (a venv that has the Python rivals), BUILD (a build folder with sparse_ours),
# ANALYZERS ("english plain"), QUERIES (200), ROUNDS (5), SLOW_QUERIES (3), LUCENE (9.12.1).
set -euo pipefail

papers=${1:?usage: sparse.sh PAPERS.jsonl[.zst] [WORK_FOLDER]}
work=${2:-$(mktemp -d)}
table=${3:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$work/build}
venv=${VENV:-$work/venv}
lucene=${LUCENE:-9.12.1}
depth=100
rounds=${ROUNDS:-5}
mkdir -p "$work"

if [ ! -x "$build/bench/sparse_ours" ]; then
  cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DMUSTCITE_BENCH=ON -DMUSTCITE_TESTS=OFF >/dev/null
  cmake --build "$build" --target sparse_ours
fi
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet numpy numba bm25s rank_bm25
fi
jars=$work/jars
if [ ! -d "$jars" ]; then
  for artifact in lucene-core lucene-analysis-common; do
    mvn -q dependency:copy -Dartifact="org.apache.lucene:$artifact:$lucene" -DoutputDirectory="$jars"
  done
fi
javac -cp "$jars/*" -d "$work/classes" "$root/bench/rivals/SparseLucene.java"

folders=()
for analyzer in ${ANALYZERS:-english plain}; do
  folder=$work/$analyzer
  folders+=("$folder")
  mkdir -p "$folder"
  "$build/bench/sparse_ours" prepare "$papers" "$folder" "$analyzer" "${QUERIES:-200}" >"$folder/prepare.json"
  : >"$folder/speed.jsonl"
  for threads in 1 2; do
    "$build/bench/sparse_ours" search "$folder" "$threads" "$depth" "$rounds" | tee -a "$folder/speed.jsonl"
  done
  "$venv/bin/python" "$root/bench/rivals/sparse_bm25s.py" "$folder" "$depth" "$rounds" 1 2 | tee -a "$folder/speed.jsonl"
  java -Xmx4g -cp "$jars/*:$work/classes" SparseLucene "$folder" "$depth" "$rounds" 1 2 2>"$folder/lucene.log" |
    tee -a "$folder/speed.jsonl"
  "$venv/bin/python" "$root/bench/rivals/sparse_rank_bm25.py" "$folder" "$depth" "${SLOW_QUERIES:-3}" |
    tee -a "$folder/speed.jsonl"
done
"$venv/bin/python" "$root/bench/rivals/sparse_table.py" "${table:-$root/docs/benchmarks/sparse.md}" "$work/result.json" \
  "bench/rivals/sparse.sh PAPERS.jsonl.zst" "${folders[@]}"
