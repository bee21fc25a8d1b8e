#!/usr/bin/env python3
"""Makes the golden values of tests/unit/evaluate from pytrec_eval (trec_eval's own C code).

    python3 -m venv venv && venv/bin/pip install pytrec-eval-terrier==0.5.11
    venv/bin/python tests/golden/evaluate/make_golden.py

Writes qrels.trec, run.trec and values.tsv beside this script. Tests read the files; they never run this.
The data is random (seeded) and holds on purpose: many tied scores, scores that differ in double but not in
float32, graded and negative judgements, unjudged documents, queries without an answer, queries without a
judgement, queries whose judgements are all zero, answers shorter than the cutoffs and files in mixed order.
"""
import pathlib
import random

import pytrec_eval

HERE = pathlib.Path(__file__).resolve().parent
CUTOFFS = "1,3,5,10,20,100"
MEASURES = {"map", "recip_rank", "ndcg", "Rprec", "bpref"} | {
    f"{name}.{CUTOFFS}" for name in ("ndcg_cut", "recall", "success", "P", "map_cut")
}
LEVELS = (1, 2)


def make_score(rng, style):
    if style == "ties":
        return float(rng.randrange(5))
    if style == "float32":
        # Neighbours in double precision that fall on the same float32.
        return 17.5 + rng.randrange(4) * 1e-9 + rng.randrange(3)
    if style == "negative":
        return -rng.random() * 1e3
    return rng.random() * 10 ** rng.randrange(-6, 6)


def make(rng):
    run, qrels = [], []
    styles = ["ties", "float32", "negative", "plain"]
    for q in range(44):
        qid = f"q{q}"
        docs = [f"D{rng.randrange(10**rng.randrange(1, 6))}-{i}" for i in range(60)]
        judged = rng.sample(docs, rng.randrange(1, 25))
        if q != 7:  # q7: answered, never judged
            for d in judged:
                rel = rng.choice([0, 0, 1, 1, 1, 2, 3, -1, -2]) if q % 3 else rng.choice([0, 1])
                if q == 9:
                    rel = 0
                qrels.append((qid, d, rel))
            # At least one judgement of zero or more: trec_eval reads stale memory otherwise.
            qrels.append((qid, f"extra-{q}", 0 if q % 2 else 1 if q != 9 else 0))
        if q in (3, 11):  # judged, never answered
            continue
        depth = rng.choice([1, 4, 17, 48])
        style = styles[q % 4]
        run += [(qid, d, make_score(rng, style)) for d in rng.sample(docs, depth)]
    rng.shuffle(run)
    rng.shuffle(qrels)
    return run, qrels


def main():
    rng = random.Random(20240611)
    run, qrels = make(rng)
    (HERE / "run.trec").write_text("".join(f"{q} Q0 {d} 0 {s!r} golden\n" for q, d, s in run))
    (HERE / "qrels.trec").write_text("".join(f"{q} 0 {d} {r}\n" for q, d, r in qrels))
    run_by_query, qrels_by_query = {}, {}
    for q, d, s in run:
        run_by_query.setdefault(q, {})[d] = s
    for q, d, r in qrels:
        qrels_by_query.setdefault(q, {})[d] = r
    lines = ["level\tquery\tmeasure\tvalue\n"]
    for level in LEVELS:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels_by_query, MEASURES, relevance_level=level)
        for query, values in sorted(evaluator.evaluate(run_by_query).items()):
            for measure, value in sorted(values.items()):
                lines.append(f"{level}\t{query}\t{measure}\t{value!r}\n")
    (HERE / "values.tsv").write_text("".join(lines))
    print(f"{len(run)} results, {len(qrels)} judgements, {len(lines) - 1} values")


if __name__ == "__main__":
    main()
