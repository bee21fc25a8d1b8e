#!/usr/bin/env bash
# From a fresh clone to must-cite papers for a draft: installs, builds, imports the demo corpus, builds its index,
# and recommends. Needs the network for packages only. About ten minutes on a new two-core machine.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh
cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release -DMUSTCITE_TESTS=OFF >/dev/null
cmake --build build/release --target mustcite mustcite-pdf

mustcite=build/release/bin/mustcite
workspace=.mustcite-demo
"$mustcite" --workspace "$workspace" init
"$mustcite" --workspace "$workspace" import papers data/demo/papers.jsonl
"$mustcite" --workspace "$workspace" import citations data/demo/citations.jsonl
"$mustcite" --workspace "$workspace" index build
echo
"$mustcite" --workspace "$workspace" recommend --file data/demo/drafts/1.txt --depth 10

cat <<EOF

Try next:
  $mustcite --workspace $workspace recommend --title "Your title" --abstract "Your abstract"
  $mustcite --workspace $workspace recommend --file data/demo/drafts/2.json --bibtex
  $mustcite --workspace $workspace audit data/demo/drafts/demo-draft
  $mustcite --workspace $workspace search "attention is all you need"
Your own collection: docs/start-here.md
EOF
