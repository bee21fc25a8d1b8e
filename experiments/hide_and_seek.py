"""Hide-and-seek: does a bibliography help to find what is missing in it?

    hide_and_seek.py make RELEASE SPLIT FOLDER [--authors POOL] [--draws N]     from a release folder:
        with.jsonl      queries that know their citations, but for a hidden fifth (at least one) of the must-cite ones
        authors.jsonl   the same, and they know their authors where POOL (papers JSONL) does; with POOL only
        blind.jsonl     the same queries without that knowledge
        without.jsonl   the same, and what is known there may not come back here either: the easier task
        hidden.qrels    the hidden papers
      With several draws each query comes so often, with other papers hidden; its id gets the number of the draw.
    hide_and_seek.py judge RUN QRELS MODEL          precision of what counts as missing, false alarms, calibration error of
        the first 20 of each query; RUN holds calibrated probabilities (recommend --probabilities), MODEL is a model folder

Queries have at least five must-cite papers (three mentions or more, or mentioned in experiments) in the pool.
"""

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path

from jsonl_lines import lines


def qrels_of(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text().splitlines()[1:]:
        query, paper, grade = line.split("\t")
        if int(grade) > 0:
            found[query].add(paper)
    return found


def authors_in(pool: Path) -> dict[str, list[str]]:
    papers = map(json.loads, lines(pool))
    return {paper["id"]: paper["authors"] for paper in papers if paper.get("authors")}


def add_authors(folder: Path, authors: dict[str, list[str]]) -> None:
    with (folder / "authors.jsonl").open("w") as file:
        for line in (folder / "with.jsonl").open():
            query = json.loads(line)
            file.write(json.dumps(query | {"authors": authors.get(query["id"], [])}) + "\n")


def make(release: Path, split: str, folder: Path, draws: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    qrels = {tier: qrels_of(release / "qrels" / split / f"{tier}.tsv") for tier in ("all", "type3", "experiments")}
    rng = random.Random(1)
    count = 0
    with (folder / "with.jsonl").open("w") as known, (folder / "without.jsonl").open("w") as plain, (
        folder / "blind.jsonl"
    ).open("w") as blind, (folder / "hidden.qrels").open("w") as hidden_file:
        for line in (release / "queries.jsonl").open():
            query = json.loads(line)
            must = sorted(qrels["type3"][query["_id"]] | qrels["experiments"][query["_id"]])
            if query["split"] != split or len(must) < 5:
                continue
            for draw in range(draws):
                count += 1
                rng.shuffle(must)
                hidden = set(must[: max(1, len(must) // 5)])
                rest = sorted(qrels["all"][query["_id"]] - hidden)
                own = [] if draws == 1 else [query["_id"]]
                base = {
                    "id": query["_id"] + (f"-{draw}" if draws > 1 else ""),
                    "title": query["title"],
                    "abstract": query["text"],
                    "before": query["before"],
                }
                known.write(json.dumps(base | {"known": rest, "exclude": own}) + "\n")
                plain.write(json.dumps(base | {"exclude": own + rest}) + "\n")
                blind.write(json.dumps(base | {"exclude": own}) + "\n")
                for paper in sorted(hidden):
                    hidden_file.write(f"{base['id']} 0 {paper} 1\n")
    print(json.dumps({"queries": count}))


def judge(run: Path, qrels: Path, model: Path) -> None:
    relevant = defaultdict(set)
    for line in qrels.read_text().splitlines():
        query, _, paper, _ = line.split()
        relevant[query].add(paper)
    threshold = json.loads((model / "model.json").read_text())["tiers"]["must"]["missing_at"]
    taken, pairs = [], []
    for line in run.read_text().splitlines():
        query, _, paper, rank, score, _ = line.split()
        pair = (float(score), paper in relevant[query])
        if pair[0] >= threshold:
            taken.append(pair[1])
        if int(rank) <= 20:
            pairs.append(pair)
    pairs.sort()
    error, bins = 0.0, 10
    for k in range(bins):
        part = pairs[k * len(pairs) // bins : (k + 1) * len(pairs) // bins]
        error += abs(sum(score for score, _ in part) - sum(hit for _, hit in part)) / len(pairs)
    total = sum(len(papers) for papers in relevant.values())
    print(
        json.dumps(
            {
                "threshold": threshold,
                "drafts": len(relevant),
                "reported": len(taken),
                "precision": sum(taken) / max(len(taken), 1),
                "recall": sum(taken) / total,
                "false_alarms_per_draft": (len(taken) - sum(taken)) / len(relevant),
                "calibration_error": error,
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb", required=True)
    making = verbs.add_parser("make")
    making.add_argument("release", type=Path)
    making.add_argument("split")
    making.add_argument("folder", type=Path)
    making.add_argument("--authors", type=Path)
    making.add_argument("--draws", type=int, default=1)
    judging = verbs.add_parser("judge")
    for name in ("run", "qrels", "model"):
        judging.add_argument(name, type=Path)
    flags = parser.parse_args()
    if flags.verb == "judge":
        judge(flags.run, flags.qrels, flags.model)
        return
    make(flags.release, flags.split, flags.folder, flags.draws)
    if flags.authors:
        add_authors(flags.folder, authors_in(flags.authors))


if __name__ == "__main__":
    main()
