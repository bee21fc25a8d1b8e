#!/usr/bin/env python3
"""Token vectors of papers and queries for the engines that late.sh compares: the same for each of them.

    late_encode.py MODEL CORPUS.jsonl QUERIES.jsonl DOCUMENTS QUERIES DIMS OUT

MODEL is an encoder folder. Its last states of title [SEP] abstract (256 tokens; punctuation of documents left out), projected
to the DIMS directions in which the states of the first 500 documents are longest (0: not projected), unit length, half
precision. By transformers in bfloat16.
"""
import json
import pathlib
import string
import sys

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

MODEL, CORPUS, ASKED, DOCUMENTS, QUERIES, DIMS, OUT = sys.argv[1:8]
OUT = pathlib.Path(OUT)


def read(file, count):
    ids, texts = [], []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            if len(ids) == int(count):
                break
            paper = json.loads(line)
            if paper.get("split", "dev") != "dev":
                continue
            ids.append(paper["_id"])
            texts.append(paper["title"] + "[SEP]" + paper["text"])
    return ids, texts


class Encoder:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained(MODEL)
        self.model = AutoModel.from_pretrained(MODEL, add_pooling_layer=False).to(torch.bfloat16).eval()
        self.skipped = torch.tensor([i for i in self.tokenizer.convert_tokens_to_ids(list(string.punctuation))
                                     if i != self.tokenizer.unk_token_id])
        self.projection = None

    def states(self, texts, skip):
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        found = [None] * len(texts)
        for begin in range(0, len(order), 32):
            places = order[begin:begin + 32]
            batch = self.tokenizer([texts[i] for i in places], truncation=True, max_length=256, padding=True, return_tensors="pt")
            with torch.inference_mode():
                last = self.model(**batch).last_hidden_state.float()
            kept = batch["attention_mask"].bool()
            if skip:
                kept &= ~torch.isin(batch["input_ids"], self.skipped)
            for row, place in enumerate(places):
                found[place] = last[row][kept[row]].numpy()
        return found

    def vectors(self, texts, skip):
        made = []
        for begin in range(0, len(texts), 1024):
            for state in self.states(texts[begin:begin + 1024], skip):
                if self.projection is not None:
                    state = state @ self.projection
                made.append((state / np.linalg.norm(state, axis=1, keepdims=True)).astype(np.float16))
        return made

    def project(self, texts):
        states = np.concatenate(self.states(texts, True)).astype(np.float64)
        states /= np.linalg.norm(states, axis=1, keepdims=True)
        _, directions = np.linalg.eigh(states.T @ states)
        self.projection = directions[:, -int(DIMS):].astype(np.float32)


def write(name, ids, vectors):
    first = np.concatenate([[0], np.cumsum([len(v) for v in vectors])]).astype(np.int64)
    first.tofile(OUT / f"{name}.i64")
    np.concatenate(vectors).tofile(OUT / f"{name}.f16")
    (OUT / f"{name}.ids").write_text("\n".join(ids) + "\n", encoding="utf-8")


def main():
    torch.set_num_threads(2)
    OUT.mkdir(parents=True, exist_ok=True)
    encoder = Encoder()
    ids, texts = read(CORPUS, DOCUMENTS)
    if int(DIMS):
        encoder.project(texts[:500])
    write("documents", ids, encoder.vectors(texts, True))
    ids, texts = read(ASKED, QUERIES)
    write("queries", ids, encoder.vectors(texts, False))


main()
