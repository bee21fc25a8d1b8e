"""rank_bm25 on the tokens of sparse_ours, for few queries: slow and hungry for memory.

usage: sparse_rank_bm25.py FOLDER DEPTH QUERIES
"""

import json
import sys
import time
from pathlib import Path

from rank_bm25 import BM25Okapi


def main() -> None:
    folder, depth, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    # Equal words share one object, or the corpus does not fit.
    documents = [[sys.intern(word) for word in line.split()] for line in (folder / "docs.txt").open()]
    queries = [line.split() for line in (folder / "queries.txt").open()][:count]
    start = time.perf_counter()
    ranker = BM25Okapi(documents, k1=1.5, b=0.75)
    built = time.perf_counter() - start
    start = time.perf_counter()
    for query in queries:
        scores = ranker.get_scores(query)
        scores.argpartition(-depth)[-depth:]
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            {
                "system": "rank_bm25",
                "threads": 1,
                "queries": len(queries),
                "queries_per_second": len(queries) / seconds,
                "build_seconds": built,
            }
        )
    )


if __name__ == "__main__":
    main()
