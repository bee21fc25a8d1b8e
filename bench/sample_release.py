#!/usr/bin/env python3
"""A release whose corpus is a fixed sample of another's: for measurements that cannot encode every paper.

    sample_release.py RELEASE OUT [--split dev] [--others 20000] [--seed 1]

Kept are all papers that the split's qrels name, and `others` more, those whose SHA-256 of seed and id comes first.
Queries and qrels stay; citing papers that fall out of the corpus stay as evidence.
"""
import argparse
import hashlib
import json
import pathlib
import shutil


def lines_of(file):
    with open(file, encoding="utf-8") as lines:
        yield from (line for line in lines if line.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--others", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    relevant = set()
    for qrels in sorted((given.release / "qrels" / given.split).glob("*.tsv")):
        relevant.update(line.split("\t")[1] for line in list(lines_of(qrels))[1:])
    drawn = []
    for line in lines_of(given.release / "corpus.jsonl"):
        paper = json.loads(line)["_id"]
        if paper not in relevant:
            drawn.append((hashlib.sha256(f"{given.seed} {paper}".encode()).hexdigest(), paper))
    others = {paper for _, paper in sorted(drawn)[:given.others]}

    shutil.copytree(given.release, given.out)
    citing = {json.loads(line)["citing_id"] for line in lines_of(given.release / "evidence" / "citations.jsonl")}
    count = 0
    with open(given.out / "corpus.jsonl", "w", encoding="utf-8") as corpus, \
            open(given.out / "evidence" / "papers.jsonl", "a", encoding="utf-8") as evidence:
        for line in lines_of(given.release / "corpus.jsonl"):
            paper = json.loads(line)
            if paper["_id"] in relevant or paper["_id"] in others:
                corpus.write(line)
                count += 1
            elif paper["_id"] in citing:
                paper["id"], paper["abstract"] = paper.pop("_id"), paper.pop("text")
                evidence.write(json.dumps(paper, ensure_ascii=False) + "\n")
    manifest = json.loads((given.release / "manifest.json").read_text(encoding="utf-8"))
    manifest["name"] = given.out.name
    manifest["notes"]["sample"] = (f"corpus: every paper of the {given.split} qrels and {len(others)} others by seed "
                                   f"{given.seed}, of {manifest['counts']['corpus']}")
    manifest["counts"]["corpus"] = count
    for name, entry in manifest["files"].items():
        bytes_ = (given.out / name).read_bytes()
        entry["sha256"], entry["bytes"] = hashlib.sha256(bytes_).hexdigest(), len(bytes_)
    (given.out / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{given.out}: {count} papers, {count - len(others)} of them relevant to a query of {given.split}")


main()
