#!/usr/bin/env python3
"""Makes tests/unit/gnn/fixtures/golden.safetensors: what PyTorch Geometric computes for graph layers and losses.

Needs torch, torch_geometric and safetensors. Weights and graph are drawn here and stored with the results, so
the test feeds the same numbers to our layers.
"""
import pathlib

import torch
from safetensors.torch import save_file
from torch_geometric.nn import GAE, GATConv, GCNConv

torch.manual_seed(7)
NODES, IN, HIDDEN, OUT, HEADS = 40, 12, 8, 6, 3
# Node 39 has no neighbour, node 0 is cited by many.
pairs = {(int(a), int(b)) for a, b in torch.randint(0, 38, (120, 2)) if a != b}
pairs |= {(a, 0) for a in range(1, 30)}
edges = torch.tensor(sorted(pairs)).t().contiguous()  # source, target
x = torch.randn(NODES, IN, requires_grad=True)

tensors = {"edges": edges.t().contiguous(), "x": x}


def backward(name, out, parameters):
    """A gradient of every output with a weight of its own, so that no sign cancels."""
    factor = torch.randn_like(out)
    x.grad = None
    (out * factor).sum().backward()
    tensors[f"{name}.out"] = out
    tensors[f"{name}.factor"] = factor
    tensors[f"{name}.grad.x"] = x.grad.clone()
    for key, parameter in parameters.items():
        tensors[f"{name}.{key}"] = parameter
        tensors[f"{name}.grad.{key}"] = parameter.grad.clone()


gcn = GCNConv(IN, OUT)
torch.nn.init.normal_(gcn.bias)
backward("gcn", gcn(x, edges), {"weight": gcn.lin.weight, "bias": gcn.bias})
for name, concat in (("gat_joined", True), ("gat_averaged", False)):
    gat = GATConv(IN, HIDDEN, heads=HEADS, concat=concat)
    torch.nn.init.normal_(gat.bias)
    lin = gat.lin if gat.lin is not None else gat.lin_src
    backward(name, gat(x, edges), {"weight": lin.weight, "source": gat.att_src, "target": gat.att_dst, "bias": gat.bias})

model = GAE(GCNConv(IN, OUT))
with torch.no_grad():
    model.encoder.lin.weight.mul_(0.3)  # 1 - sigmoid(16) is rounding noise in float32: keep products small
negative = torch.randint(0, NODES, (2, 50))
z = model.encode(x, edges)
loss = model.recon_loss(z, edges, negative)
x.grad = None
loss.backward()
tensors.update({"gae.weight": model.encoder.lin.weight, "gae.bias": model.encoder.bias, "gae.z": z,
                "gae.negative": negative.t().contiguous(), "gae.loss": loss.reshape(1), "gae.grad.x": x.grad.clone()})

out = pathlib.Path(__file__).parent.parent / "tests/unit/gnn/fixtures/golden.safetensors"
out.parent.mkdir(parents=True, exist_ok=True)
save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, out)
print(out, len(tensors), "tensors")
