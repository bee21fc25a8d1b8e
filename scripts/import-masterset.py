#!/usr/bin/env python3
"""Turns the published MasterSet or CiteRoute tables (parquet) into JSONL that mustcite imports.

    python3 -m venv V && V/bin/pip install pyarrow
    V/bin/python scripts/import-masterset.py FOLDER_WITH_PARQUET OUT_FOLDER
    mustcite import papers OUT_FOLDER/papers.jsonl
    mustcite import citations OUT_FOLDER/citations.jsonl

Every *.parquet file below the folder is read. What a table is, its columns tell: a paper table has a title and an
abstract; a citation table names a citing and a cited paper, or has a list of references per paper with `target`, `title`,
`year`, `cite` and `contexts` (each with `section` and `context`). Column names are matched by the lists below; a table that
fits neither is named and skipped. References without an id of their own are matched to papers by title. Labels of Types I
and II, where a table has them, go to labels.tsv (citing_id, cited_id, type1, type2), which `annotate train --labels`
reads. Rows that lack what they need are counted. Nothing is fetched.
"""

import json
import pathlib
import re
import sys

import pyarrow.parquet as parquet

NAMES = {
    "id": ["paper_id", "id", "_id", "corpus_id", "paperId"],
    "title": ["title", "paper_title"],
    "abstract": ["abstract", "text"],
    "authors": ["authors", "author"],
    "venue": ["venue", "conference", "booktitle"],
    "year": ["year", "publication_year"],
    "url": ["url", "pdf_url", "link"],
    "citing": ["citing_id", "query_id", "source", "citing_paper_id", "query-id"],
    "cited": ["cited_id", "ref_id", "candidate_id", "cited_paper_id", "corpus-id"],
    "mentions": ["mentions", "mention_count", "frequency", "num_mentions", "type3", "type_iii_count"],
    "type1": ["type1", "type_1", "type_i", "label_type1", "y_I"],
    "type2": ["type2", "type_2", "type_ii", "label_type2", "y_II"],
    "references": ["references", "reference_list", "citations"],
    "contexts": ["contexts", "citation_contexts"],
    "marker": ["cite", "cited_as", "marker"],
}


def column(table_columns, name):
    lower = {c.lower(): c for c in table_columns}
    return next((lower[n.lower()] for n in NAMES[name] if n.lower() in lower), None)


def get(row, name):
    found = column(row.keys(), name)
    return None if found is None else row[found]


def title_key(title):
    return re.sub(r"[^a-z0-9]", "", (title or "").lower())


def contexts_of(value):
    if isinstance(value, str):
        value = json.loads(value) if value.strip().startswith("[") else [{"context": value}]
    result = []
    for context in value or []:
        if isinstance(context, str):
            context = {"context": context}
        text = context.get("context") or context.get("text")
        if text:
            result.append({"section": context.get("section") or "", "text": text})
    return result


class Output:
    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.papers = open(folder / "papers.jsonl", "w", encoding="utf-8")
        self.citations = open(folder / "citations.jsonl", "w", encoding="utf-8")
        self.labels = open(folder / "labels.tsv", "w", encoding="utf-8")
        self.labels.write("citing_id\tcited_id\ttype1\ttype2\n")
        self.by_title, self.year = {}, {}
        self.count = dict(papers=0, citations=0, labels=0, unusable=0, unmatched=0)

    def paper(self, row):
        paper = {"id": get(row, "id"), "title": get(row, "title")}
        if paper["id"] is None or not paper["title"]:
            self.count["unusable"] += 1
            return
        paper["id"] = str(paper["id"])
        paper["abstract"] = get(row, "abstract") or ""
        authors = get(row, "authors") or []
        paper["authors"] = re.split(r"\s*;\s*", authors) if isinstance(authors, str) else list(authors)
        paper["venue"] = str(get(row, "venue") or "").lower()
        if get(row, "year"):
            paper["year"] = int(get(row, "year"))
            self.year[paper["id"]] = paper["year"]
        if get(row, "url"):
            paper["url"] = get(row, "url")
        self.by_title.setdefault(title_key(paper["title"]), paper["id"])
        self.papers.write(json.dumps(paper, ensure_ascii=False) + "\n")
        self.count["papers"] += 1

    def citation(self, citing, row, cited=None):
        cited = cited if cited is not None else get(row, "cited")
        if cited is None:
            cited = self.by_title.get(title_key(row.get("title")))
            if cited is None:
                self.count["unmatched"] += 1
                return
        contexts = contexts_of(get(row, "contexts"))
        mentions = get(row, "mentions")
        citation = {"citing_id": str(citing), "cited_id": str(cited), "citing_year": self.year.get(str(citing), 0),
                    "mentions": int(mentions) if mentions is not None else (len(contexts) or None),
                    "exp_mentions": None, "contexts": contexts}
        if get(row, "marker"):
            citation["marker"] = str(get(row, "marker"))
        self.citations.write(json.dumps(citation, ensure_ascii=False) + "\n")
        self.count["citations"] += 1
        type1, type2 = get(row, "type1"), get(row, "type2")
        if type1 is not None and type2 is not None:
            self.labels.write(f"{citing}\t{cited}\t{int(type1)}\t{int(type2)}\n")
            self.count["labels"] += 1


def rows_of(file):
    for batch in parquet.ParquetFile(file).iter_batches(1000):
        yield from batch.to_pylist()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    files = sorted(pathlib.Path(sys.argv[1]).rglob("*.parquet"))
    if not files:
        sys.exit(f"there is no parquet file below {sys.argv[1]}")
    columns = {file: parquet.ParquetFile(file).schema_arrow.names for file in files}
    out = Output(pathlib.Path(sys.argv[2]))
    is_pair = {f: bool(column(c, "citing") and column(c, "cited")) for f, c in columns.items()}
    is_paper = {f: bool(column(c, "id") and column(c, "title")) and not is_pair[f] for f, c in columns.items()}
    for file in files:  # papers first: references are matched to their titles
        if is_paper[file]:
            for row in rows_of(file):
                out.paper(row)
    for file in files:
        if is_pair[file]:
            for row in rows_of(file):
                out.citation(get(row, "citing"), row)
        elif is_paper[file] and column(columns[file], "references"):
            for row in rows_of(file):
                references = get(row, "references") or []
                for reference in json.loads(references) if isinstance(references, str) else references:
                    out.citation(get(row, "id"), reference)
        elif not is_paper[file]:
            print(f"{file}: skipped, its columns are {', '.join(columns[file])}", file=sys.stderr)
    print(", ".join(f"{count} {name}" for name, count in out.count.items()))


main()
