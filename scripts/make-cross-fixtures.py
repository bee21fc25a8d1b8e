#!/usr/bin/env python3
"""Makes the cross-encoder's fixtures: a tiny random BertForSequenceClassification, and what PyTorch computes with it.

Needs: torch, transformers, tokenizers, safetensors. Seeds are fixed; run it again only when the fixtures must change.

    python3 scripts/make-cross-fixtures.py tests/unit/neural/fixtures
"""
import json
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

OUT = pathlib.Path(sys.argv[1])
LENGTH = 24
PAIRS = [
    ("a small model [SEP] reads words and learns to rank", "words [SEP] the graph of the data"),
    ("rank models", "a model learns small words [SEP] and nothing of the graph"),
    ("a word " * 40, "the data"),
    ("the data", "a word " * 40),
    ("learn words " * 20, "rank a graph " * 20),
    ("", "nothing"),
    ("words of the graph", ""),
]
GROUPS = [3, 2, 2]
WORDS = "a small model models reads words word learns learn to rank ranks and nothing of the graph data".split()


def main():
    torch.manual_seed(30)
    folder = OUT / "tiny-cross"
    folder.mkdir(parents=True, exist_ok=True)
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + WORDS
    config = BertConfig(vocab_size=len(vocab), hidden_size=64, num_hidden_layers=1, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=32, type_vocab_size=2, num_labels=1)
    model = BertForSequenceClassification(config).eval()
    for name, p in model.named_parameters():
        scale = 0.2 if p.dim() > 1 else 0.1
        p.data = torch.randn_like(p) * scale + (1.0 if name.endswith("LayerNorm.weight") else 0.0)
    (folder / "vocab.txt").write_text("\n".join(vocab) + "\n")
    kept = ("model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
            "max_position_embeddings", "type_vocab_size", "hidden_act", "layer_norm_eps", "pad_token_id")
    values = {k: v for k, v in config.to_dict().items() if k in kept}
    values.update({"architectures": ["BertForSequenceClassification"], "num_labels": 1,
                   "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}})
    (folder / "config.json").write_text(json.dumps(values, indent=1) + "\n")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"do_lower_case": True, "tokenizer_class": "BertTokenizer", "model_max_length": LENGTH}) + "\n")
    save_file({k: v.contiguous() for k, v in model.state_dict().items() if "position_ids" not in k},
              folder / "model.safetensors", metadata={"format": "pt"})

    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=True)
    batch = tokenizer([a for a, _ in PAIRS], [b for _, b in PAIRS], truncation="longest_first", max_length=LENGTH,
                      padding=True, return_tensors="pt")
    golden = {"ids": batch["input_ids"], "types": batch["token_type_ids"], "lengths": batch["attention_mask"].sum(1)}
    named = dict(model.named_parameters())
    watched = ("bert.embeddings.word_embeddings.weight", "bert.encoder.layer.0.attention.self.query.weight",
               "bert.pooler.dense.weight", "classifier.weight", "classifier.bias")
    places = [sum(GROUPS[:i]) for i in range(len(GROUPS))]
    labels = torch.zeros(len(PAIRS))
    labels[places] = 1
    for loss_name in ("logistic", "softmax"):
        model.zero_grad()
        logits = model(**batch).logits.squeeze(1)
        if loss_name == "logistic":
            loss = F.binary_cross_entropy_with_logits(logits, labels)
        else:
            parts = [F.cross_entropy(logits[p:p + g].unsqueeze(0), torch.tensor([0])) for p, g in zip(places, GROUPS)]
            loss = torch.stack(parts).mean()
        loss.backward()
        golden["logits"] = logits.detach().clone()
        golden[f"{loss_name}.value"] = loss.detach().reshape(1)
        for name in watched:
            golden[f"{loss_name}.grad.{name}"] = named[name].grad.clone()
    save_file({k: v.contiguous() for k, v in golden.items()}, OUT / "cross-golden.safetensors")
    lines = [json.dumps({"a": a, "b": b}) for a, b in PAIRS]
    (OUT / "cross-pairs.jsonl").write_text("\n".join(lines) + "\n")
    print(golden["logits"], golden["lengths"])


main()
