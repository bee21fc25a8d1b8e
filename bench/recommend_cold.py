"""The parts of recommend.sh: `queries PAPERS CITATIONS OUT`, and `measure FOLDER COMMAND...`, which times whole processes."""

import json
import subprocess
import sys
import time
from pathlib import Path

QUERIES, PROCESSES = 100, 20


def lines(path: str):
    reader = ["zstd", "-dcq", path] if path.endswith(".zst") else ["cat", path]
    with subprocess.Popen(reader, stdout=subprocess.PIPE, text=True) as process:
        yield from process.stdout


def queries(papers: str, citations: str, out: str) -> None:
    years = {}
    for line in lines(citations):
        citation = json.loads(line)
        years[citation["citing_id"]] = citation["citing_year"]
    newest = max(years.values())
    wanted = {paper for paper, year in years.items() if year == newest}
    found = 0
    with open(out, "w") as file:
        for line in lines(papers):
            paper = json.loads(line)
            if paper["id"] in wanted and paper["abstract"] and found < QUERIES:
                file.write(line)
                found += 1


def measure(folder: Path, command: list[str]) -> None:
    result = json.loads((folder / "open.json").read_text())
    papers = [json.loads(line) for line in (folder / "queries.jsonl").open()][:PROCESSES]
    for method in ("bm25", "mustcite"):
        times = []
        for paper in papers:
            start = time.perf_counter()
            asked = ["--method", method, "--title", paper["title"], "--abstract", paper["abstract"]]
            subprocess.run(command + asked, check=True, stdout=subprocess.DEVNULL)
            times.append(1000 * (time.perf_counter() - start))
        times.sort()
        result[method]["process_p50_ms"] = times[len(times) // 2]
        result[method]["process_max_ms"] = times[-1]
    (folder / "result.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "queries":
        queries(*sys.argv[2:5])
    else:
        measure(Path(sys.argv[2]), sys.argv[3:])
