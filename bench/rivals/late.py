#!/usr/bin/env python3
"""PyLate's PLAID index (fast-plaid) over the token vectors that late_encode.py wrote: the same vectors, the same queries.

    late.py OUT THREADS BITS [FULL …]

Builds the index on THREADS threads and searches it with every thread on one core, one query at a time; once for each FULL
(n_full_scores: how many candidates are scored; PyLate's own is 8192). Prints a line of JSON for each: milliseconds and
processor milliseconds a query, how many of the exact 100 best documents are among the 100 found, size of the index.
"""
import json
import os
import pathlib
import sys
import time

OUT, THREADS, BITS = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
FULL = [int(one) for one in sys.argv[4:]] or [8192]
os.environ["OMP_NUM_THREADS"] = str(THREADS)
os.environ["RAYON_NUM_THREADS"] = str(THREADS)
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch

torch.set_num_threads(THREADS)

from pylate import indexes, retrieve

DEPTH = 100


def read(name):
    first = np.fromfile(OUT / f"{name}.i64", dtype=np.int64)
    values = np.fromfile(OUT / f"{name}.f16", dtype=np.float16).reshape(first[-1], -1)
    return [np.asarray(values[a:b], dtype=np.float32) for a, b in zip(first, first[1:])]


def size_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def on_one_core():
    """Ours searches on one thread: so does the rival, whatever pools it has made."""
    torch.set_num_threads(1)
    core = {min(os.sched_getaffinity(0))}
    for task in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(task), core)


def searched(index, queries, exact):
    retriever = retrieve.ColBERT(index=index)
    for query in queries[:5]:
        retriever.retrieve(queries_embeddings=[query], k=DEPTH)
    times, overlaps = [], []
    before = time.process_time()
    for query, wanted in zip(queries, exact):
        start = time.perf_counter()
        found = retriever.retrieve(queries_embeddings=[query], k=DEPTH)[0]
        times.append((time.perf_counter() - start) * 1000)
        overlaps.append(len({str(one["id"]) for one in found} & wanted) / DEPTH)
    processor = (time.process_time() - before) * 1000
    times.sort()
    return {"p50_ms": round(times[len(times) // 2], 1), "p99_ms": round(times[len(times) * 99 // 100], 1),
            "mean_ms": round(sum(times) / len(times), 1), "processor_ms": round(processor / len(times), 1),
            "overlap_exact": round(sum(overlaps) / len(overlaps), 4)}


def main():
    documents, queries = read("documents"), read("queries")
    dims = documents[0].shape[1]
    exact = [set(line.split()) for line in (OUT / "exact.txt").read_text().splitlines()]
    # Our exact lists against PyTorch's, on a few documents of one query: the same definition of MaxSim.
    with torch.inference_mode():
        query = torch.from_numpy(queries[0])
        scores = [float((query @ torch.from_numpy(d).T).max(dim=1).values.sum()) for d in documents]
    by_torch = {str(i) for i in np.argsort(-np.array(scores), kind="stable")[:DEPTH]}
    same = len(by_torch & exact[0]) / DEPTH

    start = time.perf_counter()
    index = indexes.PLAID(index_folder=str(OUT), index_name="plaid", override=True, nbits=BITS, num_threads=1,
                          show_progress=False, device="cpu")
    index.add_documents(documents_ids=[str(i) for i in range(len(documents))], documents_embeddings=documents)
    build = time.perf_counter() - start
    on_one_core()
    for full in FULL:
        index = indexes.PLAID(index_folder=str(OUT), index_name="plaid", override=False, nbits=BITS, n_full_scores=full,
                              num_threads=1, show_progress=False, device="cpu")
        line = {"engine": "pylate-plaid", "bits": BITS, "full": full, "documents": len(documents), "queries": len(queries),
                "dims": dims, "mb": round(size_of(OUT / "plaid") / 1e6, 1), "build_s": round(build, 1),
                **searched(index, queries, exact), "torch_agrees": same}
        print(json.dumps(line), flush=True)



if __name__ == "__main__":
    main()
