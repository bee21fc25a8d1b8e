"""How often do the most cited papers stand at the top?

    landmarks.py RELEASE RUN [RUN...]     share of the first ten places held by the ten papers of the pool that the
                                          release's evidence cites most, and in how many queries one of them is there

The same is told of what the queries cite: qrels `all` of the split, as if a run had listed exactly that.
"""

import collections
import json
import sys
from pathlib import Path

from jsonl_lines import lines


def landmarks(release: Path) -> set[str]:
    counts: collections.Counter[str] = collections.Counter()
    for file in sorted((release / "evidence").glob("citations.jsonl*")):
        for line in lines(file):
            counts[json.loads(line)["cited_id"]] += 1
    return {paper for paper, _ in counts.most_common(10)}


def tops(run: Path) -> dict[str, list[str]]:
    lists: dict[str, list[tuple[float, str]]] = collections.defaultdict(list)
    for line in run.read_text().splitlines():
        query, _, paper, _, score, _ = line.split()
        lists[query].append((-float(score), paper))
    return {query: [paper for _, paper in sorted(items)[:10]] for query, items in lists.items()}


def told(name: str, lists: dict[str, list[str]], known: set[str]) -> None:
    places = sum(len(papers) for papers in lists.values())
    held = sum(paper in known for papers in lists.values() for paper in papers)
    queries = sum(any(paper in known for paper in papers) for papers in lists.values())
    print(f"{name}: {held} of {places} places ({100 * held / places:.1f} %), in {queries} of {len(lists)} queries")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    known = landmarks(folder)
    cited: dict[str, list[str]] = collections.defaultdict(list)
    for line in (folder / "qrels" / "dev" / "all.tsv").read_text().splitlines()[1:]:
        query, paper, grade = line.split("\t")
        if int(grade) > 0:
            cited[query].append(paper)
    told("what the queries cite", cited, known)
    for run in sys.argv[2:]:
        told(Path(run).stem, tops(Path(run)), known)
