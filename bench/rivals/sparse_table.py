"""Compares result lists and writes docs/benchmarks/sparse.md and a JSON of the ratios.

usage: sparse_table.py OUT.md OUT.json COMMAND FOLDER...     (each folder: prepare.json, speed.jsonl, *.tsv)
"""

import json
import sys
from collections import defaultdict
from pathlib import Path


def read(path: Path) -> dict[int, list[tuple[int, float]]]:
    lists: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for line in path.open():
        query, row, score = line.split("\t")
        lists[int(query)].append((int(row), float(score)))
    return lists


def overlap(ours: Path, theirs: Path) -> float:
    """Share of our rows that the other has too.

    A row that the other left out is a tie only when its score equals our own last one: then which row comes last is
    free. Scores of two systems are never compared, for they round lengths differently.
    """
    mine, other = read(ours), read(theirs)
    same = total = 0
    for query, list_of_ours in mine.items():
        rows = {row for row, _ in other[query]}
        last = list_of_ours[-1][1]
        for row, score in list_of_ours:
            total += 1
            same += row in rows or score <= last * 1.000001
    return same / total


def section(folder: Path, ratios: dict[str, dict[str, float]]) -> list[str]:
    prepared = json.loads((folder / "prepare.json").read_text())
    speed = [json.loads(line) for line in (folder / "speed.jsonl").read_text().splitlines() if line.startswith("{")]
    ours = {row["threads"]: row["queries_per_second"] for row in speed if row["system"] == "mustcite"}
    lines = [
        f"## Analyzer `{folder.name}`",
        "",
        f"{prepared['documents']:,} documents; a query has {prepared['distinct_terms_per_query']:.0f} distinct terms,"
        f" whose lists hold {prepared['postings_per_query'] / 1e6:.2f} million postings.",
        f"Our index takes {prepared['index_seconds']:.1f} s to build and {prepared['index_bytes'] / 1e6:.0f} MB;"
        f" the raw text has {prepared['raw_text_bytes'] / 1e6:.0f} MB. Peak memory {prepared['peak_mib']:.0f} MiB.",
        "",
        "| system | threads | queries | queries/s | ours is faster by | same results up to ties |",
        "|---|---|---|---|---|---|",
    ]
    results = {"bm25s (numba)": "bm25s.tsv", "Lucene": "lucene.tsv", "Lucene, every match": "lucene.tsv"}
    for row in speed:
        name = f"{row['system']} {row.get('version', '')}".strip()
        rate = row["queries_per_second"]
        same = ""
        if row["system"] in results:
            same = f"{100 * overlap(folder / 'ours.tsv', folder / results[row['system']]):.2f} %"
        ratios[folder.name][f"{row['system']}, {row['threads']} threads"] = ours[row["threads"]] / rate
        digits = 0 if rate >= 10 else 2
        lines.append(
            f"| {name} | {row['threads']} | {row['queries']} | {rate:,.{digits}f} |"
            f" {ours[row['threads']] / rate:.1f} x | {same} |"
        )
    ratios[folder.name]["two threads"] = ours[2] / ours[1]
    return lines + [""]


def main() -> None:
    out, result, command = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    folders = [Path(name) for name in sys.argv[4:]]
    ratios: dict[str, dict[str, float]] = {folder.name: {} for folder in folders}
    lines = [
        "# Sparse search against other systems",
        "",
        "Every system gets the same tokens, the same title-and-abstract queries, k1 1.5, b 0.75, and returns its best 100.",
        "Queries are papers of the newest tenth of the collection. The time includes finding the terms of a query;"
        " it excludes opening the index. The best of several rounds counts.",
        "Lucene keeps document lengths in one byte, so its scores differ slightly: its overlap is below 100 % by design.",
        "rank_bm25 weighs terms by another formula and is asked few queries; its results are not compared.",
        "",
        f"Command: `{command}`",
        "",
    ]
    for folder in folders:
        lines += section(folder, ratios)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(lines))
    result.write_text(json.dumps(ratios, indent=1))


if __name__ == "__main__":
    main()
