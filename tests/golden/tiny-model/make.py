#!/usr/bin/env python3
"""Makes the tiny model of the golden tests: a BERT with one layer, 16 numbers wide, random weights.

    tests/golden/tiny-model/make.py tests/golden/tiny-model
"""
import json
import random
import struct
import sys
from pathlib import Path

folder = Path(sys.argv[1])
rng = random.Random(5)
letters = "abcdefghijklmnopqrstuvwxyz0123456789"
tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + list(letters + ".,:;!?()[]-'\"/%&") + ["##" + c for c in letters]
tokens += """an the of and for with in on to we is by from deep neural network networks learning graph attention models model
image images language reinforcement exploration training transformer diffusion object detection speech translation generative
adversarial representation optimization data large self supervised convolutional ##ing ##ed ##er ##ion ##al""".split()
wide, inner = 16, 32
shapes = {"embeddings.word_embeddings.weight": [len(tokens), wide], "embeddings.position_embeddings.weight": [64, wide],
          "embeddings.token_type_embeddings.weight": [2, wide]}
layer = "encoder.layer.0."
for name, out, size in (("attention.self.query", wide, wide), ("attention.self.key", wide, wide), ("attention.self.value", wide, wide),
                        ("attention.output.dense", wide, wide), ("intermediate.dense", inner, wide), ("output.dense", wide, inner)):
    shapes[layer + name + ".weight"] = [out, size]
    shapes[layer + name + ".bias"] = [out]
for name in ("embeddings.", layer + "attention.output.", layer + "output."):
    shapes[name + "LayerNorm.weight"] = [wide]
    shapes[name + "LayerNorm.bias"] = [wide]
header, data = {}, b""
for name, shape in sorted(shapes.items()):
    count = 1
    for size in shape:
        count *= size
    centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
    values = struct.pack(f"<{count}f", *(centre + rng.gauss(0, 0.2) for _ in range(count)))
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
    data += values
text = json.dumps(header).encode()
(folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
(folder / "vocab.txt").write_text("\n".join(tokens) + "\n")
(folder / "config.json").write_text(json.dumps({
    "model_type": "bert", "architectures": ["BertModel"], "vocab_size": len(tokens), "hidden_size": wide, "num_hidden_layers": 1,
    "num_attention_heads": 2, "intermediate_size": inner, "max_position_embeddings": 64, "type_vocab_size": 2,
    "hidden_act": "gelu", "layer_norm_eps": 1e-12}, indent=2) + "\n")
