#!/usr/bin/env python3
"""The same pairs with the same weights by sentence-transformers' CrossEncoder.

    cross.py MODEL PAPERS.jsonl COUNT THREADS OURS.f32 float32|bfloat16

Prints one line of JSON: pairs per second (tokens included, loading not), and how near the scores are to those of OURS.
"""
import json
import os
import sys
import time

MODEL, PAPERS, COUNT, THREADS, OURS, PRECISION = sys.argv[1:7]
os.environ["OMP_NUM_THREADS"] = THREADS

import numpy as np
import torch
from sentence_transformers import CrossEncoder

CANDIDATES = 50
torch.set_num_threads(int(THREADS))
queries = max(int(COUNT) // CANDIDATES, 1)
texts = []
with open(PAPERS, encoding="utf-8") as lines:
    for line in lines:
        paper = json.loads(line)
        if paper.get("abstract"):
            texts.append(paper["title"] + " [SEP] " + paper["abstract"])
        if len(texts) == queries + CANDIDATES:
            break
pairs = [(texts[q], texts[q + i]) for q in range(queries) for i in range(1, CANDIDATES + 1)]
model = CrossEncoder(MODEL, device="cpu")
if PRECISION == "bfloat16":
    model.model.to(torch.bfloat16)
identity = torch.nn.Identity()
model.predict(pairs[:64], activation_fn=identity)
start = time.time()
scores = np.asarray(model.predict(pairs, batch_size=32, activation_fn=identity, show_progress_bar=False), dtype=np.float64)
seconds = time.time() - start
ours = np.fromfile(OURS, dtype=np.float32).astype(np.float64)
print(json.dumps({"engine": "sentence-transformers-" + PRECISION, "pairs": len(pairs), "per_second": round(len(pairs) / seconds, 1),
                  "largest_difference": float(np.abs(scores - ours).max()),
                  "correlation": float(np.corrcoef(scores, ours)[0, 1])}))
