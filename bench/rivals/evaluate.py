"""The parts of evaluate.sh: `data FOLDER`, `measure FOLDER MUSTCITE TABLE`, and one tool alone (used by measure)."""
import json
import os
import pathlib
import platform
import random
import resource
import subprocess
import sys
import time

QUERIES, RESULTS, POOL = 7000, 1000, 200_000
TIERS = {"all": 20, "type3": 6, "experiments": 4}  # judged documents of a query
# Name here: (pytrec_eval's, ranx's).
METRICS = {
    "MAP": ("map", "map"),
    "MRR": ("recip_rank", "mrr"),
    "nDCG@10": ("ndcg_cut_10", "ndcg@10"),
    "Recall@50": ("recall_50", "recall@50"),
    "Recall@100": ("recall_100", "recall@100"),
    "HR@10": ("success_10", "hit_rate@10"),
    "P@5": ("P_5", "precision@5"),
    "R-precision": ("Rprec", "r-precision"),
}


def make_data(folder):
    rng = random.Random(7)
    ids = [f"P{rng.randrange(16**8):08x}" for _ in range(POOL)]
    files = {tier: open(folder / f"{tier}.qrels", "w") for tier in TIERS}
    with open(folder / "run.trec", "w") as run:
        for q in range(QUERIES):
            docs = rng.sample(ids, RESULTS + 10)
            docs, unseen = list(dict.fromkeys(docs))[:RESULTS], docs[RESULTS:]
            score = 30 + rng.random()
            lines = []
            for rank, doc in enumerate(docs, 1):
                score -= 0.0001 + rng.random() * 0.02
                lines.append(f"query-{q} Q0 {doc} {rank} {score:.6f} bm25\n")
            run.write("".join(lines))
            found = [docs[min(RESULTS - 1, int(rng.expovariate(1 / 150)))] for _ in range(12)]
            judged = list(dict.fromkeys(found + unseen))
            for tier, most in TIERS.items():
                files[tier].write("".join(f"query-{q} 0 {doc} 1\n" for doc in judged[:most]))
    for file in files.values():
        file.close()


def with_pytrec_eval(folder):
    import pytrec_eval

    def work(run_file, qrels_files):
        with open(run_file) as lines:
            run = pytrec_eval.parse_run(lines)
        answers = {}
        for tier, path in qrels_files.items():
            with open(path) as lines:
                qrels = pytrec_eval.parse_qrel(lines)
            names = {"map", "recip_rank", "ndcg_cut.10", "recall.50,100", "success.10", "P.5", "Rprec"}
            values = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
            answers[tier] = {
                ours: sum(v[theirs] for v in values.values()) / len(values) for ours, (theirs, _) in METRICS.items()
            }
        return answers

    return work


def with_ranx(folder):
    import ranx

    def work(run_file, qrels_files):
        run = ranx.Run.from_file(str(run_file), kind="trec")
        answers = {}
        for tier, path in qrels_files.items():
            qrels = ranx.Qrels.from_file(str(path), kind="trec")
            values = ranx.evaluate(qrels, run, [theirs for _, theirs in METRICS.values()])
            answers[tier] = {ours: float(values[theirs]) for ours, (_, theirs) in METRICS.items()}
        return answers

    return work


def run_tool(name, folder):
    """Prints seconds from opening the files to the last value; imports and compilation are done before."""
    work = {"pytrec_eval": with_pytrec_eval, "ranx": with_ranx}[name](folder)
    tiny = folder / "tiny.trec"
    tiny_qrels = folder / "tiny.qrels"
    tiny.write_text("q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n")
    tiny_qrels.write_text("q 0 a 1\n")
    work(tiny, {"tiny": tiny_qrels})
    began, cpu = time.perf_counter(), time.process_time()
    answers = work(folder / "run.trec", {tier: folder / f"{tier}.qrels" for tier in TIERS})
    print(
        json.dumps(
            {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "answers": answers}
        )
    )


def time_mustcite(folder, mustcite):
    """The whole process, from its start to its end."""
    command = [mustcite, "evaluate", "--run", str(folder / "run.trec"), "--metrics", ",".join(METRICS)]
    for tier in TIERS:
        command += ["--qrels", str(folder / f"{tier}.qrels")]
    command += ["--bootstrap", "0", "--permutations", "0", "--format", "json"]
    best = None
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        seconds = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if best is None or seconds < best["seconds"]:
            best = {"seconds": seconds, "cpu": cpu}
    tables = json.loads(output)["tables"]
    best["answers"] = {
        table["qrels"]: {name: cell["mean"] for name, cell in table["runs"][0]["values"].items()} for table in tables
    }
    return best


def check(results):
    """Every tool must give the same numbers, or the times mean nothing."""
    for tool, result in results.items():
        for tier in TIERS:
            for metric in METRICS:
                ours, theirs = results["mustcite"]["answers"][tier][metric], result["answers"][tier][metric]
                if abs(ours - theirs) > 1e-9:
                    sys.exit(f"{tool} disagrees on {metric} of {tier}: {theirs} where mustcite has {ours}")


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def measure(folder, mustcite, table):
    results = {"mustcite": time_mustcite(folder, mustcite)}
    for tool in ("pytrec_eval", "ranx"):
        command = [sys.executable, __file__, tool, str(folder)]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout
        results[tool] = json.loads(output.splitlines()[-1])
    check(results)
    size = (folder / "run.trec").stat().st_size / 1e6
    ours = results["mustcite"]
    summary = {
        tool: {"seconds": r["seconds"], "cpu": r["cpu"], "times": r["seconds"] / ours["seconds"]}
        for tool, r in results.items()
    }
    (folder / "result.json").write_text(json.dumps(summary, indent=2) + "\n")
    rows = [
        f"| {tool} | {r['seconds']:.2f} | {r['cpu']:.2f} | {r['seconds'] / ours['seconds']:.1f} |"
        for tool, r in results.items()
    ]
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text(
        f"""# evaluate against pytrec_eval and ranx

One run of {QUERIES:,} queries x {RESULTS:,} results ({size:.0f} MB of TREC text) is judged by {len(TIERS)} qrels
files on {len(METRICS)} metrics ({", ".join(METRICS)}). The times include reading all files.

| tool | seconds | CPU seconds | times mustcite's |
|---|---:|---:|---:|
{chr(10).join(rows)}

All tools give the same means to 1e-9: the script stops otherwise. mustcite's row is the best of five whole processes,
start included, on {len(os.sched_getaffinity(0))} cores, without intervals and tests. The rows of the Python libraries start after their
imports and after ranx's compilation. Processor: {processor()}.

Made by `bench/rivals/evaluate.sh`, which makes the data and the Python environment itself.
"""
    )
    print(table.read_text())


if __name__ == "__main__":
    if sys.argv[1] == "data":
        make_data(pathlib.Path(sys.argv[2]))
    elif sys.argv[1] == "measure":
        measure(pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4]))
    else:
        run_tool(sys.argv[1], pathlib.Path(sys.argv[2]))
