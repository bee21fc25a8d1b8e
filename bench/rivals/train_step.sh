#!/usr/bin/env bash
# Speed of a training step against PyTorch: the same weights, texts, batches and cores, one after another.
#   BUILD=build VENV=venv bench/rivals/train_step.sh MODEL PAPERS.jsonl [STEPS] [THREADS] [TRAINED_LAYERS]
# BUILD has train_step_ours (-DMUSTCITE_BENCH=ON); VENV has torch and transformers.
set -euo pipefail
model=$1 papers=$2 steps=${3:-8} threads=${4:-2} layers=${5:-0}
here=$(cd "$(dirname "$0")" && pwd)
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores" >&2
for precision in bfloat16 float32; do
  printf '{"engine": "ours-%s"} ' "$precision"
  "$BUILD/bench/train_step_ours" "$model" "$papers" "$steps" "$precision" "$threads" "$layers"
  printf '{"engine": "torch-%s"} ' "$precision"
  "$VENV/bin/python" "$here/train_step.py" "$model" "$papers" "$steps" "$threads" "$precision" "$layers"
done
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)" >&2
