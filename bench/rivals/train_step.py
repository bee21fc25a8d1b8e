#!/usr/bin/env python3
"""Steps of contrastive training with PyTorch and transformers: the counterpart of train_step_ours.

    train_step.py MODEL PAPERS.jsonl STEPS THREADS float32|bfloat16 [TRAINED_LAYERS]

The same batches: 32 queries, 32 positives, 32 hard negatives, at most 128 tokens; NT-Xent of temperature 0.05, clipping at 1,
AdamW. bfloat16 is autocast. Times forward and backward pass, clipping and AdamW; tokens are made before.
"""
import json
import os
import sys
import time

MODEL, PAPERS, STEPS, THREADS, PRECISION = sys.argv[1:6]
LAYERS = int(sys.argv[6]) if len(sys.argv) > 6 else 0
STEPS, THREADS = int(STEPS), int(THREADS)
os.environ["OMP_NUM_THREADS"] = str(THREADS)

import torch
from transformers import AutoModel, AutoTokenizer

torch.set_num_threads(THREADS)
QUERIES, WARM_UP = 32, 2


def read_batches(tokenizer):
    texts, batches = [], []
    with open(PAPERS, encoding="utf-8") as lines:
        for line in lines:
            paper = json.loads(line)
            abstract = paper.get("abstract") or paper.get("text") or ""
            if not abstract:
                continue
            texts.append(paper["title"] + " [SEP] " + abstract)
            if len(texts) < 3 * QUERIES:
                continue
            ordered = texts[0::3] + texts[1::3] + texts[2::3]
            batches.append(tokenizer(ordered, truncation=True, max_length=128, padding=True, return_tensors="pt"))
            texts = []
            if len(batches) == STEPS + WARM_UP:
                break
    return batches


def trained(model):
    if LAYERS == 0:
        return list(model.parameters())
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    some = [p for layer in model.encoder.layer[-LAYERS:] for p in layer.parameters()]
    for parameter in some:
        parameter.requires_grad_(True)
    return some


def main():
    model = AutoModel.from_pretrained(MODEL, attn_implementation="sdpa").eval()  # eval: no dropout, as in ours
    parameters = trained(model)
    matrices = [p for p in parameters if p.dim() > 1]
    vectors = [p for p in parameters if p.dim() <= 1]
    optimiser = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}],
                                  lr=2e-5, fused=True)
    batches = read_batches(AutoTokenizer.from_pretrained(MODEL))
    target = torch.arange(QUERIES)
    losses, start = [], time.perf_counter()
    for step, batch in enumerate(batches):
        if step == WARM_UP:
            start = time.perf_counter()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=PRECISION == "bfloat16"):
            states = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(2).float()
        rows = torch.nn.functional.normalize((states.float() * mask).sum(1) / mask.sum(1), dim=1)
        loss = torch.nn.functional.cross_entropy(rows[:QUERIES] @ rows[QUERIES:].T / 0.05, target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        losses.append(round(loss.item(), 4))
    seconds = time.perf_counter() - start
    steps = len(batches) - WARM_UP
    print(json.dumps({"steps": steps, "seconds": round(seconds, 3), "texts_per_second": round(steps * 3 * QUERIES / seconds, 1),
                      "losses": losses}))


main()
