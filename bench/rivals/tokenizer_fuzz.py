#!/usr/bin/env python3
"""Compares our tokenizer with the `tokenizers` library on random texts, and both in speed.

    bench/rivals/tokenizer_fuzz.py TOKENIZER_OURS MODEL_FOLDER [ROUNDS] [SEED] [TEXTS.jsonl]

TOKENIZER_OURS is the program of bench/rivals/tokenizer_ours.cpp; MODEL_FOLDER has a tokenizer.json. Each round compares
5,000 texts of random characters, ranges, words of the vocabulary, real texts (fields title and abstract of TEXTS.jsonl)
with random edits, and pairs at random lengths. Stops with 1 at the first difference. Needs pip install tokenizers.
"""
import json
import random
import subprocess
import sys
import time

from tokenizers import Tokenizer

RANGES = [(0x20, 0x7F), (0, 0x20), (0x80, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700), (0x900, 0xE00),
          (0x1100, 0x1200), (0x1E00, 0x2070), (0x2000, 0x2100), (0x20D0, 0x2100), (0x3000, 0x3100), (0x4E00, 0x5000),
          (0xA000, 0xABFF), (0xAC00, 0xAD00), (0xF900, 0xFB50), (0xFB00, 0x10000), (0x10000, 0x11FFF), (0x1D000, 0x1D800),
          (0x1E000, 0x1F000), (0x1F300, 0x1FA00), (0x20000, 0x20100), (0x2F800, 0x2FA20), (0xE0000, 0xE0200), (0, 0x110000)]
PIECES = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "[SE", "P]", " ", "\n", "\u0301", "\u0327", "\u302e", "\u0345", "##", "é", "İ"]


def character(rng):
    while True:
        c = rng.randrange(*rng.choice(RANGES))
        if not 0xD800 <= c <= 0xDFFF:
            return chr(c)


def random_text(rng, words, real):
    kind = rng.randrange(5)
    if kind == 0:
        return "".join(character(rng) for _ in range(rng.randrange(40)))
    if kind == 1:
        low, high = rng.choice(RANGES[:-1])
        return "".join(chr(rng.randrange(low, high)) if not 0xD7FF < low < 0xE000 else "x" for _ in range(rng.randrange(150)))
    if kind == 2:
        return "".join(rng.choice(words).removeprefix("##") + rng.choice(["", " ", "-", "\t", "\u3000"]) for _ in range(rng.randrange(60)))
    if kind == 3 and real:
        text = list(rng.choice(real))
        for _ in range(rng.randrange(8)):
            text.insert(rng.randrange(len(text) + 1), rng.choice(PIECES + [character(rng)]))
        return "".join(text)
    return "".join(rng.choice(PIECES + [rng.choice(words), character(rng)]) for _ in range(rng.randrange(30)))


def ours(program, folder, texts, *flags):
    stdin = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run([program, folder, *flags], input=stdin, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    program, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    reference = Tokenizer.from_file(folder + "/tokenizer.json")
    reference.no_padding()
    words = sorted(reference.get_vocab())
    real = []
    if len(sys.argv) > 5:
        for line in open(sys.argv[5], encoding="utf-8"):
            paper = json.loads(line)
            real.append(paper.get("title", "") + "[SEP]" + paper.get("abstract", ""))
    compared = 0
    for _ in range(rounds):
        texts = []
        for _ in range(5000):
            text = {"a": random_text(rng, words, real), "length": rng.choice([3, 7, 16, 33, 128, 512])}
            if rng.random() < 0.3:
                text["b"] = random_text(rng, words, real)
            texts.append(text)
        for text, found in zip(texts, ours(program, folder, texts)):
            reference.enable_truncation(text["length"], strategy="longest_first")
            wanted = reference.encode(text["a"], text.get("b"))
            if found["ids"] != wanted.ids or found["types"] != wanted.type_ids:
                print("different:", json.dumps(text), "\n  ours", found["ids"], "\n  reference", wanted.ids)
                return 1
            compared += 1
    print(f"{compared} texts, no difference")
    if real:
        texts = [{"a": text, "length": 512} for text in real[:10000]]
        reference.enable_truncation(512)
        start = time.perf_counter()
        tokens = sum(len(reference.encode(text["a"]).ids) for text in texts)
        print(json.dumps({"reference": {"texts": len(texts), "tokens": tokens, "seconds": time.perf_counter() - start}}))
        print(json.dumps({"ours": ours(program, folder, texts, "--time")[0]}))
    return 0


sys.exit(main())
