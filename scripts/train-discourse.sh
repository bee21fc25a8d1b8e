#!/usr/bin/env bash
# Makes data/models/discourse again: the tagger of sentences of related-work sections that ships.
#   scripts/train-discourse.sh CORWA-FOLDER
# CORWA-FOLDER holds CORWA_train.jsonl and CORWA_test.jsonl. The test part judges and is never trained on.
set -euo pipefail
if [[ $# -ne 1 ]]; then
  echo "usage: scripts/train-discourse.sh CORWA-FOLDER" >&2
  exit 2
fi
corwa=$(realpath "$1")
cd "$(dirname "$0")/.."
build/release/bin/mustcite train discourse --train "$corwa/CORWA_train.jsonl" --test "$corwa/CORWA_test.jsonl" \
  --out data/models/discourse
