#!/usr/bin/env bash
# Makes data/models/judge again: the local judge that ships.
#   scripts/train-judge.sh PAPERS.jsonl[.zst] CITATIONS.jsonl[.zst] CITATION_FUNCTIONS_FOLDER JUDGED.jsonl
# The citing papers of JUDGED stay unseen, so that it can judge the judge. About a minute.
set -euo pipefail
if [[ $# -ne 4 ]]; then
  echo "usage: scripts/train-judge.sh PAPERS CITATIONS CITATION_FUNCTIONS JUDGED" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
mustcite=${MUSTCITE:-build/release/bin/mustcite}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MUSTCITE_WORKSPACE="$work"
"$mustcite" init
"$mustcite" import papers "$1"
"$mustcite" import citations "$2"
"$mustcite" annotate train --labels data/models/judge-labels.tsv --citation-functions "$3" --without "$4" \
  --out data/models/judge
"$mustcite" annotate evaluate "$4" --judge-model data/models/judge
