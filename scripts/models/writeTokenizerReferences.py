"""Token ids by the reference implementation (the `tokenizers` package), for tests of our own tokenizers.

Run: python scripts/models/writeTokenizerReferences.py TOKENIZER.json OUT.json
Texts: checkTexts.json and 300 random mixtures of awkward characters (fixed seed).
"""
import json
import os
import random
import sys

from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
AWKWARD = (
    list("abcXYZ019 \t\n\r.,;:!?'\"()[]{}<>/\\|@#$%^&*-_=+~`")
    + list("éÅñßøÆıİŁđŒſΣσς ДжъЇ עב العربية हिन्दी ไทย 한글 ひらがな カタカナ ｶﾅ ＡＢ１２ 中文漢字㐀𠀀𪚥 。，！？、；：「」《》（）—…")
    + ["\u00a0", "\u00ad", "\u200b", "\u200d", "\u2028", "\u3000", "\ufeff", "\ufffd", "\u0301", "\ufe0f", "👍🏽", "👩‍👩‍👧‍👦", "🇨🇳", "™", "ﬁ", "½", "①", "Ⅳ", "㎞", "℃", "\u0007", "\ue000"]
)


def main(tokenizer_file, out):
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    chance = random.Random(7)
    texts = json.load(open(os.path.join(HERE, "checkTexts.json"), encoding="utf-8"))
    texts += ["".join(chance.choice(AWKWARD) for _ in range(chance.randint(1, 30))) for _ in range(300)]
    texts += ["", " ", "x" * 99, "x" * 101, "未" * 300]
    cases = [[text, tokenizer.encode(text).ids] for text in texts]
    with open(out, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(case, ensure_ascii=True, separators=(",", ":")) for case in cases) + "\n]\n")


main(*sys.argv[1:])
