#!/usr/bin/env python3
"""The same texts with the same weights by sentence-transformers, ONNX Runtime and CTranslate2.

    encode.py MODEL PAPERS.jsonl COUNT THREADS OURS.f32 ENGINE

ENGINE: torch-f32, torch-bf16, onnx-f32, ct2-f32, ct2-bf16, ct2-int8. Prints one line of JSON: texts per second (tokens
included, loading not), and how near the vectors are to those of OURS (cosine, overlap of the 100 nearest).
"""
import json
import os
import sys
import tempfile
import time

MODEL, PAPERS, COUNT, THREADS, OURS, ENGINE = sys.argv[1:7]
COUNT, THREADS = int(COUNT), int(THREADS)
os.environ["OMP_NUM_THREADS"] = str(THREADS)

import numpy as np
import torch

torch.set_num_threads(THREADS)


def read_texts():
    texts = []
    with open(PAPERS, encoding="utf-8") as lines:
        for line in lines:
            paper = json.loads(line)
            abstract = paper.get("abstract") or paper.get("text") or ""
            if abstract:
                texts.append(paper["title"] + " [SEP] " + abstract)
            if len(texts) == COUNT:
                break
    return texts


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


class Batches:
    """Sorted by length like sentence-transformers does, 32 texts at a time."""

    def __init__(self, texts):
        from transformers import AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(MODEL)
        self.length = json.load(open(os.path.join(MODEL, "sentence_bert_config.json")))["max_seq_length"]
        self.texts = texts
        self.order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))

    def __iter__(self):
        for i in range(0, len(self.order), 32):
            places = self.order[i:i + 32]
            yield places, self.tokenizer([self.texts[p] for p in places], truncation=True, max_length=self.length,
                                         padding=True, return_tensors="np")


def mean(states, mask):
    weight = mask[:, :, None].astype(np.float32)
    return (states * weight).sum(1) / weight.sum(1)


def torch_engine(dtype):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(MODEL, device="cpu").to(dtype)

    def encode(texts):
        rows = model.encode(texts, batch_size=32, convert_to_tensor=True, normalize_embeddings=True, show_progress_bar=False)
        return rows.float().cpu().numpy()

    return encode


def onnx_engine():
    import onnxruntime
    from transformers import AutoModel

    model = AutoModel.from_pretrained(MODEL, attn_implementation="eager").eval()
    path = os.path.join(tempfile.mkdtemp(), "model.onnx")
    example = tuple(torch.ones(2, 8, dtype=torch.long) for _ in range(3))

    class States(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, ids, mask, types):
            return self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    axes = {0: "batch", 1: "time"}
    torch.onnx.export(States(), example, path, input_names=["ids", "mask", "types"], output_names=["states"],
                      dynamic_axes={name: axes for name in ("ids", "mask", "types", "states")}, dynamo=False, opset_version=17)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def encode(texts):
        rows = np.zeros((len(texts), model.config.hidden_size), dtype=np.float32)
        for places, batch in Batches(texts):
            states = session.run(None, {"ids": batch["input_ids"].astype(np.int64), "mask": batch["attention_mask"].astype(np.int64),
                                        "types": batch["token_type_ids"].astype(np.int64)})[0]
            rows[places] = mean(states, batch["attention_mask"])
        return unit(rows)

    return encode


def ct2_engine(kind):
    import ctranslate2

    folder = os.path.join(tempfile.mkdtemp(), "model")
    ctranslate2.converters.TransformersConverter(MODEL).convert(folder)
    encoder = ctranslate2.Encoder(folder, device="cpu", compute_type=kind, intra_threads=THREADS, inter_threads=1)

    def encode(texts):
        rows = None
        for places, batch in Batches(texts):
            ids = [row[:n].tolist() for row, n in zip(batch["input_ids"], batch["attention_mask"].sum(1))]
            states = np.array(encoder.forward_batch(ids).last_hidden_state.to(ctranslate2.DataType.float32))
            if rows is None:
                rows = np.zeros((len(texts), states.shape[2]), dtype=np.float32)
            rows[places] = mean(states, batch["attention_mask"][:, :states.shape[1]])
        return unit(rows)

    return encode


def overlap(a, b, depth=100, queries=100):
    total = 0
    for i in range(min(queries, len(a))):
        nearest = lambda rows: set(np.argsort(-(rows @ rows[i]), kind="stable")[:depth])
        total += len(nearest(a) & nearest(b)) / depth
    return total / min(queries, len(a))


def main():
    texts = read_texts()
    engines = {"torch-f32": lambda: torch_engine(torch.float32), "torch-bf16": lambda: torch_engine(torch.bfloat16),
               "onnx-f32": onnx_engine, "ct2-f32": lambda: ct2_engine("float32"), "ct2-bf16": lambda: ct2_engine("bfloat16"),
               "ct2-int8": lambda: ct2_engine("int8")}
    encode = engines[ENGINE]()
    encode(texts[:64])
    start = time.perf_counter()
    rows = encode(texts)
    seconds = time.perf_counter() - start
    result = {"engine": ENGINE, "texts": len(texts), "seconds": round(seconds, 3), "per_second": round(len(texts) / seconds, 1)}
    if os.path.exists(OURS):
        ours = unit(np.fromfile(OURS, dtype=np.float32).reshape(len(texts), -1))
        cosine = (ours * rows).sum(1)
        result["cosine_min"], result["cosine_mean"] = round(float(cosine.min()), 6), round(float(cosine.mean()), 6)
        result["top100_overlap"] = round(overlap(ours, rows), 4)
    print(json.dumps(result))


main()
