#!/usr/bin/env python3
"""Makes the golden values of the tokenizer's tests with the `tokenizers` library (pip install tokenizers; 0.23 was used).

    scripts/tokenizer-golden.py tests/unit/model/golden

Writes tokenizer.json (a small uncased tokenizer), tokenizer-cased.json, cases.jsonl (texts, pairs and their ids) and
characters.tsv (for each 4,096 characters of Unicode a digest of what the reference makes of them).
"""
import hashlib
import json
import sys
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = """a an and attention bert cite cited deep for graph in learn learning model models must net network neural of on
paper papers retrieval sum token tokens train training transform transformer un vector with word words zero
naive cafe resume strasse ueber 東 京 大 学 の は カ タ ナ 한 국 Α α ω σ ς и й я é ß ø ł ə ﬁ 1 2 3 2024 . , ! ? - ( ) / # @
Paper Graph Must Naïve É Ω Й""".split()
PIECES = """s ed ing er ers ion ions al ize ly n e t r a o i u l m d c h g p b y k v w x z q f j é ß 学 京 の は ᄀ ᅡ ᆨ 1 2 3 24
ς σ ω и α ̈ ́ ing2""".split()
LETTERS = list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") + ["i̇", "ᄀ", "ᄒ", "ᆫ", "ᄀ", "가"]


def build(cased):
    vocabulary = {}
    for token in SPECIAL + sorted(set(WORDS + LETTERS)) + ["##" + piece for piece in dict.fromkeys(PIECES + LETTERS)]:
        vocabulary.setdefault(token, len(vocabulary))
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True,
                                                      strip_accents=None, lowercase=not cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ids = [(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
    if cased:
        tokenizer.post_processor = processors.BertProcessing(ids[1], ids[0])
    else:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=ids)
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in SPECIAL])
    if cased:
        tokenizer.add_tokens([AddedToken("<cite>", single_word=True, normalized=True),
                              AddedToken("<gap>", lstrip=True, rstrip=True, normalized=False)])
    return tokenizer


TEXTS = [
    "", " ", "\n\t ", "Must cite papers", "MUST CITE: the (deep) learning-models!", "un learning unlearning unlearnings",
    "Naïve café résumé Straße ÜBER Ångström", "İstanbul ıssız I\u0307", "東京大学のカタカナは", "東京abc大学2024", "한국 한국어",
    "\u1112\u1161\u11ab", "Ελλάς ΣΊΣΥΦΟΣ ω", "Йод йод и\u0306", "fi\ufb01 \ufb03", "a\u0301\u0327b a\u0327\u0301b", "\u0301\u0302 x",
    "zero\u200bwidth\u200djoiner\ufeff", "a\u00a0b\u2003c\u2028d\u2029e\u0085f", "nul\x00l \x07bell \x7fdel", "\ufffd re\ufffdplace",
    "\ue000private\U000f0000", "emoji 😀👍🏽 \u2764\ufe0f", "math 𝐱 ∑ ≤ $x^2$ `code`", "‘quotes’ “double” — dash… ·", "a_b-c/d\\e",
    "[CLS] in the text [SEP] and [MASK][MASK]", "[ CLS ] [cls] [Sep]", "title[SEP]abstract", "x[SEP", "[PAD]", "[[SEP]]",
    "<cite> cited<cite> <cite>paper <CITE>", "a <gap> b  <gap>\t\nc<gap>d", "a" * 99, "a" * 100, "a" * 101, "é" * 100, "é" * 101,
    "paper " * 30, "tokens " * 200, "ing learning2 2024 20242", "\u1734 \u1885 \ua9bd \U000111c9 \u166d", "\u302e\u302f \u302f\u302e",
    "\U00011938 \u0c3c \u08d3", "\U0001e922 \u1c89 \ua7cb \U00010d50 \U00016ea0", "ﬀ ǅ Ǆ ǆ ẞ", "\u0345\u0301α\u0345\u0301",
    "\ufdfa \u2126 \u212b \uf900", "\U0002b820 \U0002b91f \U0002b920", "क्षत्रिय ಕನ್ನಡ ไทย עברית العربية", "1.5e-3 (n=20) p<0.05",
]
PAIRS = [("must cite", "a deep network"), ("paper " * 10, "word"), ("word", "paper " * 10), ("paper " * 9, "word " * 9),
         ("paper " * 10, "word " * 9), ("", ""), ("", "word"), ("a [SEP] b", "c [CLS]"), ("paper " * 50, "word " * 49)]
LENGTHS = [3, 4, 5, 8, 13, 16, 512]

BLOCK = 4096
VARIANTS = [(True, True, True, True), (True, True, False, False), (False, False, True, False), (False, False, False, True)]


def digest(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def character_lines():
    cutter = pre_tokenizers.BertPreTokenizer()
    made = [normalizers.BertNormalizer(*variant) for variant in VARIANTS]
    for first in range(0, 0x110000, BLOCK):
        letters = [chr(c) for c in range(first, first + BLOCK) if not 0xD800 <= c <= 0xDFFF]
        # Each between letters, and each among marks of other combining classes.
        texts = ["a" + c + "b" for c in letters] + ["a\u0345\u302e" + c + "\u302f\u0334b" for c in letters]
        fields = [digest("\n".join(n.normalize_str(t) for t in texts)) for n in made]
        words = ["\n".join(w for w, _ in cutter.pre_tokenize_str("a" + c + "b")) for c in letters]
        yield "\t".join([format(first, "X")] + fields + [digest("\n\n".join(words))])


def main():
    folder = Path(sys.argv[1])
    cases = []
    for name, cased in (("tokenizer.json", False), ("tokenizer-cased.json", True)):
        tokenizer = build(cased)
        # Without the section for the decoder's sake: it is not used.
        (folder / name).write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, indent=0) + "\n")
        for text in TEXTS:
            cases.append({"tokenizer": name, "a": text, "length": 1000, "ids": tokenizer.encode(text).ids})
        for a, b in PAIRS:
            for length in LENGTHS:
                tokenizer.enable_truncation(length, strategy="longest_first")
                pair = tokenizer.encode(a, b)
                cases.append({"tokenizer": name, "a": a, "b": b, "length": length, "ids": pair.ids, "types": pair.type_ids})
            tokenizer.no_truncation()
        for length in LENGTHS:
            tokenizer.enable_truncation(length)
            cases.append({"tokenizer": name, "a": "must cite papers of deep learning", "length": length,
                          "ids": tokenizer.encode("must cite papers of deep learning").ids})
            tokenizer.no_truncation()
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    (folder / "characters.tsv").write_text("".join(line + "\n" for line in character_lines()))


main()
