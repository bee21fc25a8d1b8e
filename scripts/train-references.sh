#!/usr/bin/env bash
# Makes data/models/references again: the labeller of printed references that ships.
#   scripts/train-references.sh STRINGS-FOLDER PAPERS.jsonl[.zst]
# STRINGS-FOLDER holds labelled reference strings (GROBID's citation corpus, AnyStyle's core.xml); the papers are printed
# in many styles besides, and their authors tell names from other words. About a minute on one core. Nothing is held out:
# `mustcite train references --strings STRINGS-FOLDER --papers PAPERS` measures a model trained without a fifth.
set -euo pipefail
if [[ $# -ne 2 ]]; then
  echo "usage: scripts/train-references.sh STRINGS-FOLDER PAPERS" >&2
  exit 2
fi
strings=$(realpath "$1")
papers=$(realpath "$2")
cd "$(dirname "$0")/.."
build/release/bin/mustcite train references --strings "$strings" --papers "$papers" --hold-out none \
  --out data/models/references
