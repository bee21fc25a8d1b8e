#!/usr/bin/env python3
"""Makes tests/unit/neural/fixtures/late.safetensors: what PyTorch computes of late interaction.

Needs: torch, transformers, safetensors, and the tiny BERT that make-neural-fixtures.py made. Seeds are fixed; run it again
only when the fixtures must change.

    python3 scripts/make-late-fixtures.py tests/unit/neural/fixtures
"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from transformers import BertModel

OUT = pathlib.Path(sys.argv[1])


def max_sim(query, document):
    return (query @ document.T).max(dim=1).values.sum()


def scores_of(queries, documents):
    return torch.stack([torch.stack([max_sim(q, d) for d in documents]) for q in queries])


def nt_xent(scores, lengths, positive, ignored, temperature):
    """The mean over a query's vectors stands for its score."""
    s = scores / lengths.unsqueeze(1) / temperature
    per_query = []
    for i in range(s.shape[0]):
        negative = [s[i, j] for j in range(s.shape[1]) if not positive[i, j] and not ignored[i, j]]
        terms = [F.cross_entropy(torch.stack([s[i, j], *negative]).unsqueeze(0), torch.tensor([0]))
                 for j in range(s.shape[1]) if positive[i, j]]
        per_query.append(torch.stack(terms).mean())
    return torch.stack(per_query).mean()


def pairwise(scores, tuples):
    p = torch.stack([scores[q, first] for q, first, _ in tuples])
    n = torch.stack([scores[q, negative] for q, _, negative in tuples])
    return F.cross_entropy(torch.stack([p, n], dim=1), torch.zeros(len(tuples), dtype=torch.long))


def of_vectors(golden):
    """Losses of vectors that are given: queries of 3, 1 and 5 vectors, documents of 4, 1, 6 and 2."""
    torch.manual_seed(31)
    sizes = [3, 1, 5, 4, 1, 6, 2]
    rows = F.normalize(torch.randn(sum(sizes), 8), dim=1).requires_grad_(True)
    positive = torch.tensor([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]], dtype=torch.bool)
    ignored = torch.tensor([[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]], dtype=torch.bool)
    tuples = [(0, 0, 1), (1, 2, 3), (2, 3, 0)]
    golden.update({"rows": rows.detach(), "positive": positive.to(torch.uint8), "ignored": ignored.to(torch.uint8)})
    for name in ("nt_xent", "pairwise"):
        rows.grad = None
        texts = torch.split(rows, sizes)
        scores = scores_of(texts[:3], texts[3:])
        lengths = torch.tensor(sizes[:3], dtype=torch.float32)
        value = nt_xent(scores, lengths, positive, ignored, 0.1) if name == "nt_xent" else pairwise(scores, tuples)
        value.backward()
        golden.update({"scores": scores.detach(), f"{name}.value": value.detach().reshape(1),
                       f"{name}.grad": rows.grad.clone()})


def of_network(golden):
    """Through the whole tiny network: text 0 is the query, texts 1 and 3 the documents, the fourth token of each left out."""
    model = BertModel.from_pretrained(OUT / "tiny-bert", add_pooling_layer=False).eval()
    batch = load_file(OUT / "golden.safetensors")
    mask = torch.arange(batch["ids"].shape[1]).unsqueeze(0) < batch["lengths"].unsqueeze(1)
    torch.manual_seed(32)
    projection = (torch.randn(16, 64) * 0.2).requires_grad_(True)
    states = model(input_ids=batch["ids"], token_type_ids=batch["types"], attention_mask=mask.long()).last_hidden_state
    vectors = []
    for i in (0, 1, 3):
        kept = [t for t in range(int(batch["lengths"][i])) if i == 0 or t != 3]
        vectors.append(F.normalize(states[i, kept] @ projection.T, dim=1))
    scores = scores_of(vectors[:1], vectors[1:])
    loss = pairwise(scores, [(0, 0, 1)])
    loss.backward()
    golden.update({"network.projection": projection.detach(), "network.vectors": torch.cat(vectors).detach(),
                   "network.loss": loss.detach().reshape(1), "network.grad.projection": projection.grad.clone()})
    named = dict(model.named_parameters())
    for name in ("embeddings.word_embeddings.weight", "encoder.layer.0.attention.self.query.weight",
                 "encoder.layer.1.output.dense.bias"):
        golden["network.grad." + name] = named[name].grad.clone()


def main():
    golden = {}
    of_vectors(golden)
    of_network(golden)
    save_file({k: v.contiguous() for k, v in golden.items()}, OUT / "late.safetensors")


main()
