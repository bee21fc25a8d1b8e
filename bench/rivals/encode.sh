#!/usr/bin/env bash
# Encoding speed and nearness against sentence-transformers, ONNX Runtime and CTranslate2: the same weights, texts and
# cores, one after another.
#   BUILD=build VENV=venv bench/rivals/encode.sh MODEL PAPERS.jsonl [COUNT] [THREADS]
# BUILD has encode_ours (-DMUSTCITE_BENCH=ON); VENV has torch, sentence-transformers, onnxruntime, onnx and ctranslate2.
set -euo pipefail
model=$1 papers=$2 count=${3:-1000} threads=${4:-2}
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores" >&2
for precision in float32 bfloat16; do
  printf '{"engine": "ours-%s"} ' "$precision"
  "$BUILD/bench/encode_ours" "$model" "$papers" "$count" "$out/$precision.f32" "$precision" "$threads"
done
for engine in torch-f32 torch-bf16 onnx-f32 ct2-f32 ct2-bf16 ct2-int8; do
  ours=bfloat16
  [[ $engine == *-f32 ]] && ours=float32
  "$VENV/bin/python" "$here/encode.py" "$model" "$papers" "$count" "$threads" "$out/$ours.f32" "$engine" || echo "{\"engine\": \"$engine\", \"failed\": true}"
done
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)" >&2
