#!/usr/bin/env bash
# What each view and each group of features is worth: the ranker trained anew without it, judged on the dev queries.
#
#   bench/ablation.sh WORKSPACE RELEASE YEARS OUT [GROUP | NAME=GROUP,GROUP...]
#
# WORKSPACE holds the release and its index (with latent spaces for the training YEARS, say 2018-2021). MUSTCITE names
# the program (default: mustcite). Writes one run and one model per group into OUT, and OUT/table.md. A group whose run is
# there already is not trained again, so the script can be stopped and started.
set -euo pipefail

workspace=${1:?usage: ablation.sh WORKSPACE RELEASE YEARS OUT [GROUP | NAME=GROUP,GROUP...]}
release=${2:?usage: ablation.sh WORKSPACE RELEASE YEARS OUT [GROUP | NAME=GROUP,GROUP...]}
years=${3:?usage: ablation.sh WORKSPACE RELEASE YEARS OUT [GROUP | NAME=GROUP,GROUP...]}
out=${4:?usage: ablation.sh WORKSPACE RELEASE YEARS OUT [GROUP | NAME=GROUP,GROUP...]}
shift 4
groups=("$@")
if [[ ${#groups[@]} -eq 0 ]]; then
  groups=(bm25 title title-query title-title citance sentences neighbours latent-neighbours must-votes experiment-votes
          lsi embedding voted coupling cocitation feedback latent-feedback
          agreement popularity age venue names length)
fi
mustcite=("${MUSTCITE:-mustcite}" --quiet --workspace "$workspace")
mkdir -p "$out"

run_without() { # NAME [--without GROUP]
  local name=$1
  shift
  [[ -s $out/$name.trec ]] && return
  "${mustcite[@]}" train ranker --release "$release" --years "$years" --out "$out/model-$name" "$@" >"$out/$name.log"
  "${mustcite[@]}" recommend --release "$release" --model "$out/model-$name" --run "$out/$name.trec.part" >/dev/null
  mv "$out/$name.trec.part" "$out/$name.trec"
}

run_without all-features
runs=(--run "all-features=$out/all-features.trec")
for group in "${groups[@]}"; do
  name=no-${group%%=*}
  run_without "$name" --without "${group#*=}"
  runs+=(--run "$name=$out/$name.trec")
done
"${mustcite[@]}" evaluate --release "$release" "${runs[@]}" --metrics Recall@100,nDCG@10 --baseline all-features \
  --format markdown >"$out/table.md"
cat "$out/table.md"
