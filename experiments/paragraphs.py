"""Paragraphs: what does one paragraph cite, given title, abstract and its topic sentence?

    paragraphs.py make PARAGRAPHS.jsonl.zst RELEASE SPLIT FOLDER     from related-work and introduction paragraphs:
        plain.jsonl     title and abstract of the citing paper, once per paragraph
        topic.jsonl     the same with the paragraph's topic sentence, citation marks and years masked
        cited.qrels     what the paragraph cites (all paragraphs); related.qrels: those of related-work sections

PARAGRAPHS holds {paragraph_id, citing_id, kind, topic_sentence, cited_ids}; RELEASE has the citing papers as queries.
Only papers of the release's pool count as cited.
"""

import json
import re
import sys
from pathlib import Path

from jsonl_lines import lines

MARKS = re.compile(
    r"\[[\d,;\s–-]+\]"  # [3, 5-7]
    r"|\([^()]*\b(?:19|20)\d\d[a-z]?[^()]*\)"  # (Author et al., 2020)
    r"|\b[A-Z][\w’'-]+(?: et al\.?| and [A-Z][\w’'-]+)(?:,? \(?(?:19|20)\d\d[a-z]?\)?)?"  # Author and Author (2020)
    r"|\b(?:19|20)\d\d[a-z]?\b"
)


def make(paragraphs: Path, release: Path, split: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    queries = {}
    for line in lines(release / "queries.jsonl"):
        query = json.loads(line)
        if query["split"] == split:
            queries[query["_id"]] = query
    pool = {json.loads(line)["_id"] for line in lines(release / "corpus.jsonl")}
    count = 0
    with (folder / "plain.jsonl").open("w") as plain, (folder / "topic.jsonl").open("w") as topic, (
        folder / "cited.qrels"
    ).open("w") as cited, (folder / "related.qrels").open("w") as related:
        for line in lines(paragraphs):
            paragraph = json.loads(line)
            query = queries.get(paragraph["citing_id"])
            papers = [paper for paper in paragraph["cited_ids"] if paper in pool]
            if query is None or not papers:
                continue
            count += 1
            name = paragraph["paragraph_id"]
            base = {"id": name, "title": query["title"], "abstract": query["text"], "before": query["before"],
                    "exclude": [paragraph["citing_id"]]}
            sentence = re.sub(r"\s+", " ", MARKS.sub(" ", paragraph["topic_sentence"])).strip()
            plain.write(json.dumps(base) + "\n")
            topic.write(json.dumps(base | {"topic": sentence}) + "\n")
            for paper in papers:
                cited.write(f"{name} 0 {paper} 1\n")
                if paragraph["kind"] == "related_work":
                    related.write(f"{name} 0 {paper} 1\n")
    print(json.dumps({"paragraphs": count}))


if __name__ == "__main__":
    if len(sys.argv) != 6 or sys.argv[1] != "make":
        sys.exit(__doc__)
    make(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], Path(sys.argv[5]))
