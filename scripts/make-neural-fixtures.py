#!/usr/bin/env python3
"""Makes tests/unit/neural/fixtures: a tiny random BERT with an adapter, and what PyTorch computes with it.

Needs: torch, transformers, adapters (the library of AdapterHub), safetensors. Seeds are fixed; run it again only when the
fixtures must change.

    python3 scripts/make-neural-fixtures.py tests/unit/neural/fixtures
"""
import json
import pathlib
import sys

import adapters
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from transformers import BertConfig, BertModel

OUT = pathlib.Path(sys.argv[1])
TEXTS = [
    "[CLS] a small model reads words [SEP]",
    "[CLS] words [SEP] a model learns to rank small words and a word learns nothing [SEP]",
    "[CLS] [SEP]",
    "[CLS] rank models and learn a small rank of models a model reads and ranks words and words rank a model to learn "
    "small words a model a word a rank a small model learns [SEP]",
]
WORDS = "a small model models reads words word learns learn to rank ranks and nothing of the graph data".split()


def make_model():
    torch.manual_seed(20)
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + WORDS + ["##" + w for w in "s ed ing er".split()]
    config = BertConfig(vocab_size=len(vocab), hidden_size=64, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=128, max_position_embeddings=64, type_vocab_size=2, hidden_act="gelu")
    model = BertModel(config, add_pooling_layer=False).eval()
    for name, p in model.named_parameters():
        # Wide enough that every part of the network matters in the result.
        scale = 0.2 if p.dim() > 1 else 0.1
        p.data = torch.randn_like(p) * scale + (1.0 if name.endswith("LayerNorm.weight") else 0.0)
    return config, vocab, model


def encode(vocab, text, ):
    ids, types, kind = [], [], 0
    for word in text.split():
        ids.append(vocab.index(word) if word in vocab else 1)
        types.append(kind)
        if word == "[SEP]":
            kind = 1
    return ids, types


def batch_of(vocab):
    rows = [encode(vocab, t) for t in TEXTS]
    time = max(len(r[0]) for r in rows)
    ids = torch.zeros(len(rows), time, dtype=torch.long)
    types = torch.zeros_like(ids)
    mask = torch.zeros_like(ids)
    for i, (r, k) in enumerate(rows):
        ids[i, : len(r)] = torch.tensor(r)
        types[i, : len(k)] = torch.tensor(k).clamp(max=1)
        mask[i, : len(r)] = 1
    return ids, types, mask


def pooled(last, mask):
    weight = mask.unsqueeze(2).float()
    return last[:, 0], (last * weight).sum(1) / weight.sum(1)


def losses(golden):
    torch.manual_seed(21)
    q = torch.randn(3, 8, requires_grad=True)
    d = torch.randn(6, 8, requires_grad=True)
    # Query 0 has two positives, query 2 one that is ignored, query 1 one positive.
    positive = torch.tensor([[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]], dtype=torch.bool)
    ignored = torch.tensor([[0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]], dtype=torch.bool)
    temperature = 0.1
    s = F.cosine_similarity(q.unsqueeze(1), d.unsqueeze(0), dim=2) / temperature
    per_query = []
    for i in range(3):
        negative = [s[i, j] for j in range(6) if not positive[i, j] and not ignored[i, j]]
        terms = [F.cross_entropy(torch.stack([s[i, j], *negative]).unsqueeze(0), torch.tensor([0]))
                 for j in range(6) if positive[i, j]]
        per_query.append(torch.stack(terms).mean())
    value = torch.stack(per_query).mean()
    value.backward()
    golden.update({"nt_xent.queries": q.detach(), "nt_xent.documents": d.detach(), "nt_xent.positive": positive.to(torch.uint8),
                   "nt_xent.ignored": ignored.to(torch.uint8), "nt_xent.value": value.detach().reshape(1),
                   "nt_xent.queries_grad": q.grad.clone(), "nt_xent.documents_grad": d.grad.clone()})

    for name in ("triplet", "quadruplet"):
        torch.manual_seed(22)
        v = [torch.randn(5, 8, requires_grad=True) for _ in range(4)]
        query, first, second, negative = v
        if name == "triplet":
            value = F.triplet_margin_loss(query, first, negative, margin=1.0)
            # And with a margin at which some rows lose nothing.
            assert 0 < F.triplet_margin_loss(query, first, negative, margin=0.5).item()
        else:
            h = lambda a, b: F.relu(a - b + 0.5).mean()
            dist = F.pairwise_distance
            value = (h(dist(query, first), dist(query, negative)) + h(dist(query, second), dist(query, negative)) +
                     h(dist(first, second), dist(first, negative)) + h(dist(first, second), dist(second, negative)))
        value.backward()
        for label, tensor in zip(("query", "first", "second", "negative"), v):
            golden[f"{name}.{label}"] = tensor.detach()
            golden[f"{name}.{label}_grad"] = tensor.grad.clone() if tensor.grad is not None else torch.zeros_like(tensor)
        golden[f"{name}.value"] = value.detach().reshape(1)

    torch.manual_seed(23)
    p = torch.randn(7, requires_grad=True)
    n = torch.randn(7, requires_grad=True)
    value = F.cross_entropy(torch.stack([p, n], dim=1), torch.zeros(7, dtype=torch.long))
    value.backward()
    golden.update({"pairwise.positive": p.detach(), "pairwise.negative": n.detach(), "pairwise.value": value.detach().reshape(1),
                   "pairwise.positive_grad": p.grad.clone(), "pairwise.negative_grad": n.grad.clone()})


def adamw(golden):
    torch.manual_seed(24)
    w = torch.randn(4, 3, requires_grad=True)
    b = torch.randn(3, requires_grad=True)
    golden["adamw.weight"], golden["adamw.bias"] = w.detach().clone(), b.detach().clone()
    optimiser = torch.optim.AdamW([{"params": [w], "weight_decay": 0.1}, {"params": [b], "weight_decay": 0.0}], lr=0.01,
                                  betas=(0.9, 0.99))
    for step in range(3):
        gw, gb = torch.randn(4, 3) * 3, torch.randn(3) * 3
        golden[f"adamw.weight_grad.{step}"], golden[f"adamw.bias_grad.{step}"] = gw.clone(), gb.clone()
        w.grad, b.grad = gw.clone(), gb.clone()
        torch.nn.utils.clip_grad_norm_([w, b], 2.0)
        optimiser.step()
    golden["adamw.weight_after"], golden["adamw.bias_after"] = w.detach().clone(), b.detach().clone()


def main():
    folder = OUT / "tiny-bert"
    folder.mkdir(parents=True, exist_ok=True)
    config, vocab, model = make_model()
    config.architectures = ["BertModel"]
    (folder / "config.json").write_text(json.dumps(
        {k: v for k, v in config.to_dict().items() if k in (
            "architectures", "model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
            "intermediate_size", "max_position_embeddings", "type_vocab_size", "hidden_act", "layer_norm_eps",
            "pad_token_id", "hidden_dropout_prob", "attention_probs_dropout_prob", "initializer_range")}, indent=1) + "\n")
    (folder / "vocab.txt").write_text("\n".join(vocab) + "\n")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true, "tokenizer_class": "BertTokenizer"}\n')
    save_file({k: v.contiguous() for k, v in model.state_dict().items() if k != "embeddings.position_ids"},
              folder / "model.safetensors", metadata={"format": "pt"})

    golden = {}
    ids, types, mask = batch_of(vocab)
    golden.update({"ids": ids, "types": types, "lengths": mask.sum(1)})
    out = model(input_ids=ids, token_type_ids=types, attention_mask=mask, output_hidden_states=True)
    for i, state in enumerate(out.hidden_states):
        golden[f"state.{i}"] = (state * mask.unsqueeze(2)).detach()
    cls, mean = pooled(out.last_hidden_state, mask)
    golden["pooled.cls"], golden["pooled.mean"] = cls.detach().clone(), mean.detach().clone()
    # Gradients through the whole network: mean pooling, unit length, a triplet.
    unit = F.normalize(mean, dim=1)
    loss = F.triplet_margin_loss(unit[:1], unit[1:2], unit[3:4], margin=1.0)
    loss.backward()
    golden["network.loss"] = loss.detach().reshape(1)
    named = dict(model.named_parameters())
    for name in ("embeddings.word_embeddings.weight", "encoder.layer.0.attention.self.query.weight",
                 "encoder.layer.1.output.dense.bias", "embeddings.LayerNorm.weight"):
        golden["network.grad." + name] = named[name].grad.clone()
    losses(golden)
    adamw(golden)

    adapters.init(model)
    model.add_adapter("[PRX]", config=adapters.SeqBnConfig(reduction_factor=4))
    model.set_active_adapters("[PRX]")
    torch.manual_seed(25)
    for name, p in model.named_parameters():
        if "adapters" in name:
            p.data = torch.randn_like(p) * 0.3
    adapter = OUT / "tiny-adapter"
    model.save_adapter(str(adapter), "[PRX]")
    for extra in ("head_config.json", "pytorch_model_head.bin"):
        (adapter / extra).unlink(missing_ok=True)
    last = model(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
    golden["adapter.last"] = (last * mask.unsqueeze(2)).detach()
    save_file({k: v.contiguous() for k, v in golden.items()}, OUT / "golden.safetensors")


main()
