#!/usr/bin/env bash
# Late interaction against PyLate: the same token vectors, the same queries, one after another, one core a search.
#   BUILD=build VENV=venv bench/rivals/late.sh MODEL CORPUS.jsonl QUERIES.jsonl [DOCUMENTS] [QUERIES] [DIMS] [THREADS]
# BUILD has late_ours (-DMUSTCITE_BENCH=ON); VENV has pylate. CORPUS and QUERIES are those of a release. THREADS make vectors
# and indexes. The last lines set each of our indexes against the fastest setting of PyLate that finds as much of the exact
# lists (within 0.01), at the same bits. VECTORS=FOLDER keeps the token vectors there, and takes those that lie there.
set -euo pipefail
model=$1 corpus=$2 asked=$3 documents=${4:-5000} queries=${5:-100} dims=${6:-128} threads=${7:-2}
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
vectors=${VECTORS:-$out/vectors}
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores" >&2
[ -f "$vectors/queries.ids" ] ||
  "$VENV/bin/python" "$here/late_encode.py" "$model" "$corpus" "$asked" "$documents" "$queries" "$dims" "$vectors" 2>"$out/log" ||
  { tail -3 "$out/log" >&2; exit 1; }
cp "$vectors"/*.{i64,f16,ids} "$out"
for bits in 2 4; do
  "$BUILD/bench/late_ours" "$out" "$bits" "$threads" "$queries" | tee -a "$out/lines"
  "$VENV/bin/python" "$here/late.py" "$out" "$threads" "$bits" 8192 4096 2048 1024 2>"$out/log" | tee -a "$out/lines" ||
    { tail -3 "$out/log" >&2; exit 1; }
done
"$VENV/bin/python" "$here/late_table.py" "$out/lines"
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)" >&2
