#!/usr/bin/env bash
# Times `mustcite evaluate` against pytrec_eval and ranx on the same files, checks that all agree, and writes
# docs/benchmarks/evaluate.md.
#
#   bench/rivals/evaluate.sh [MUSTCITE [TABLE [FOLDER]]]
#
# Default: build/release/bin/mustcite docs/benchmarks/evaluate.md build/bench/evaluate. Makes its own virtual
# environment and data (about 300 MB) in the folder and writes result.json there. Needs Python 3.9 or newer.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mustcite=$(realpath "${1:-$root/build/release/bin/mustcite}")
table=${2:-$root/docs/benchmarks/evaluate.md}
work=${3:-$root/build/bench/evaluate}
mkdir -p "$work"

if [[ ! -x $work/venv/bin/python ]]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet pytrec-eval-terrier==0.5.11 ranx==0.3.21
fi
if [[ ! -f $work/run.trec ]]; then
  "$work/venv/bin/python" "$root/bench/rivals/evaluate.py" data "$work"
fi
"$work/venv/bin/python" "$root/bench/rivals/evaluate.py" measure "$work" "$mustcite" "$table"
