#!/usr/bin/env bash
# Makes data/models/ranker again: the learned ranker that ships.
#   scripts/train-ranker.sh PAPERS.jsonl[.zst] CITATIONS.jsonl[.zst]...
# Trained on the citing papers of 2018 to 2021, each as of its own year, with nothing newer than 2021 in reach: papers
# and citations of 2022 stay unseen, so that the year can judge it. About half an hour on two cores.
set -euo pipefail
if [[ $# -lt 2 ]]; then
  echo "usage: scripts/train-ranker.sh PAPERS CITATIONS..." >&2
  exit 2
fi
cd "$(dirname "$0")/.."
mustcite=build/release/bin/mustcite
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MUSTCITE_WORKSPACE="$work"
"$mustcite" init
"$mustcite" import papers "$1"
"$mustcite" import citations "${@:2}"
"$mustcite" release build train --pool-years 1900-2021 --train-years 2018-2021 --dev-years 2022
"$mustcite" index build --release train --latent-years 2018,2019,2020,2021
"$mustcite" train ranker --release train --years 2018-2021 --out data/models/ranker
"$mustcite" train ranker --release train --years 2018-2021 --bibliography --out data/models/ranker
