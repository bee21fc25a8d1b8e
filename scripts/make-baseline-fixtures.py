#!/usr/bin/env python3
"""Makes golden values of the layers and losses of hatten-rr and ktr: what PyTorch computes from the same numbers.

Needs: torch, safetensors. Seeds are fixed; run it again only when the fixtures must change.

    python3 scripts/make-baseline-fixtures.py tests/unit
"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

OUT = pathlib.Path(sys.argv[1])


def save(name, values):
    folder = OUT / name / "fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    save_file({k: v.detach().contiguous().clone() for k, v in values.items()}, folder / "golden.safetensors")


def attention(values):
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(16, 4, 24, dropout=0.0, activation="relu", batch_first=True)
    for p in layer.parameters():
        p.data = torch.randn_like(p) * 0.3
    x = torch.randn(3, 5, 16, requires_grad=True)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]], dtype=torch.bool)
    y = layer(x, src_key_padding_mask=~mask)
    weight = torch.randn(3, 5, 16) * mask.unsqueeze(2)
    (y * weight).sum().backward()
    q, k, v = layer.self_attn.in_proj_weight.chunk(3)
    qb, kb, vb = layer.self_attn.in_proj_bias.chunk(3)
    values.update({"layer.query.weight": q, "layer.key.weight": k, "layer.value.weight": v,
                   "layer.query.bias": qb, "layer.key.bias": kb, "layer.value.bias": vb,
                   "layer.output.weight": layer.self_attn.out_proj.weight,
                   "layer.output.bias": layer.self_attn.out_proj.bias,
                   "layer.attention_norm.weight": layer.norm1.weight, "layer.attention_norm.bias": layer.norm1.bias,
                   "layer.up.weight": layer.linear1.weight, "layer.up.bias": layer.linear1.bias,
                   "layer.down.weight": layer.linear2.weight, "layer.down.bias": layer.linear2.bias,
                   "layer.output_norm.weight": layer.norm2.weight, "layer.output_norm.bias": layer.norm2.bias,
                   "layer.x": x, "layer.mask": mask.to(torch.uint8), "layer.y": y, "layer.of_y": weight,
                   "layer.x_grad": x.grad, "layer.up_grad": layer.linear1.weight.grad})


def pooling(values):
    """Every head's value of every item first, then the weighted sum: the plain order."""
    torch.manual_seed(2)
    heads, width = 4, 16
    score, value, out = (torch.nn.Linear(width, n) for n in (heads, width, width))
    x = torch.randn(3, 5, width, requires_grad=True)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]], dtype=torch.bool)
    a = score(x).masked_fill(~mask.unsqueeze(2), -1e9).softmax(1)
    v = value(x).view(3, 5, heads, width // heads)
    y = out(F.relu((a.unsqueeze(3) * v).sum(1).reshape(3, width)))
    weight = torch.randn(3, width)
    (y * weight).sum().backward()
    for name, layer in (("score", score), ("value", value), ("output", out)):
        values[f"pooling.{name}.weight"] = layer.weight
        values[f"pooling.{name}.bias"] = layer.bias
    values.update({"pooling.x": x, "pooling.mask": mask.to(torch.uint8), "pooling.y": y, "pooling.of_y": weight,
                   "pooling.x_grad": x.grad, "pooling.score_grad": score.weight.grad,
                   "pooling.value_grad": value.weight.grad})


def margin(values):
    """Triplet by triplet."""
    torch.manual_seed(3)
    q = torch.randn(3, 8, requires_grad=True)
    d = torch.randn(7, 8, requires_grad=True)
    levels = torch.tensor([[1, 2, 3, 0, 3, 1, 2], [0, 0, 2, 3, 1, 3, 3], [3, 3, 3, 3, 3, 3, 0]])
    terms = []
    for i in range(3):
        for p in range(7):
            for n in range(7):
                if levels[i, p] == 1 and levels[i, n] >= 2:
                    gap = 0.1 * (1 if levels[i, n] == 2 else 3)
                    s = F.cosine_similarity(q[i : i + 1], d)
                    terms.append(torch.clamp(s[n] - s[p] + gap, min=0))
    terms = torch.stack(terms)
    loss = terms.sum() / (terms > 0).sum()
    loss.backward()
    values.update({"margin.queries": q, "margin.documents": d, "margin.levels": levels, "margin.value": loss.reshape(1),
                   "margin.queries_grad": q.grad, "margin.documents_grad": d.grad})


def gru(values):
    torch.manual_seed(4)
    cell = torch.nn.GRUCell(6, 5)
    x = torch.randn(4, 6, requires_grad=True)
    h = torch.randn(4, 5, requires_grad=True)
    y = cell(x, h)
    weight = torch.randn(4, 5)
    (y * weight).sum().backward()
    values.update({"gru.input.weight": cell.weight_ih, "gru.input.bias": cell.bias_ih,
                   "gru.hidden.weight": cell.weight_hh, "gru.hidden.bias": cell.bias_hh, "gru.x": x, "gru.h": h,
                   "gru.y": y, "gru.of_y": weight, "gru.x_grad": x.grad, "gru.h_grad": h.grad,
                   "gru.input_grad": cell.weight_ih.grad})


def losses(values):
    torch.manual_seed(5)
    logits = torch.randn(3, 6, requires_grad=True)
    cited = torch.tensor([[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]])
    counted = torch.tensor([[1, 1, 0, 1, 1, 1], [1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1]])
    each = F.binary_cross_entropy_with_logits(logits, cited.float(), reduction="none")
    loss = (each * counted).sum() / (cited * counted).sum()
    loss.backward()
    values.update({"bce.logits": logits, "bce.cited": cited, "bce.counted": counted, "bce.value": loss.reshape(1),
                   "bce.logits_grad": logits.grad})
    content = torch.randn(5, 7, requires_grad=True)
    structure = torch.randn(5, 7, requires_grad=True)
    scores = F.normalize(content) @ F.normalize(structure).T / 0.2
    target = torch.arange(5)
    loss = (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2
    loss.backward()
    values.update({"align.content": content, "align.structure": structure, "align.value": loss.reshape(1),
                   "align.content_grad": content.grad, "align.structure_grad": structure.grad})


hatten, topics = {}, {}
attention(hatten)
pooling(hatten)
margin(hatten)
gru(topics)
losses(topics)
save("hatten", hatten)
save("topics", topics)
