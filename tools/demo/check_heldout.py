#!/usr/bin/python3
"""Checks that the held-out questions are a fair test of the demo model. Exit code 1 if not.

Usage: check_heldout.py [--repo DIR]
"""
import argparse
import collections
import hashlib
import os
import re
import sys

from corpus import jaccard, load_entries, load_heldout, training_word_sets, words
from samples import Sampler

LIMIT = 0.6          # most word-set Jaccard to any training question or variant of one
ITEMS, CHINESE, SHARED = 40, 12, 4
DRAWN = 5000         # wordings drawn from the training's sampler
STRAY = 3            # most other topics whose answer happens to contain the keyword
SENTENCE = 24        # shorter ones ("Yes.") may stand anywhere; a Chinese character counts twice
# The questions were fixed before the first training run and are not edited afterwards.
HELDOUT_SHA256 = "01a7ac618147239dc667560406caba73771e8ce2374fbe795a0803aa24738230"


def closest(question, sets):
    """(Jaccard, training question) of the nearest training question."""
    own = words(question)
    return max(((jaccard(own, other), text) for other, text in sets.items()))


def item_problems(item, entries, sets, template):
    """What is wrong with one held-out question, as texts."""
    keyword, question = item["keyword"].lower(), item["question"]
    entry = entries.get((item["topic"], item["lang"]))
    if entry is None:
        return [f"no topic {item['topic']} in {item['lang']}"]
    out = []
    if keyword not in entry.answer.lower():
        out.append(f"keyword {keyword!r} is not in the answer")
    if keyword in question.lower():
        out.append(f"keyword {keyword!r} is in the question")
    if keyword in template.lower():
        out.append(f"keyword {keyword!r} is in the chat template")
    stray = [e.topic for e in entries.values()
             if e.lang == item["lang"] and e.topic != item["topic"] and keyword in e.answer.lower()]
    if len(stray) > STRAY:
        out.append(f"keyword {keyword!r} is also in the answers of {stray}")
    score, text = closest(question, sets)
    if score >= LIMIT:
        out.append(f"Jaccard {score:.2f} to {text!r}")
    return out


def set_problems(items):
    """What is wrong with the held-out set as a whole."""
    out = []
    if len(items) != ITEMS:
        out.append(f"{len(items)} items, expected {ITEMS}")
    chinese = sum(item["lang"] == "zh" for item in items)
    if chinese < CHINESE:
        out.append(f"{chinese} Chinese items, expected at least {CHINESE}")
    for keyword, n in collections.Counter(item["keyword"].lower() for item in items).items():
        if n > SHARED:
            out.append(f"keyword {keyword!r} serves {n} items, at most {SHARED} allowed")
    return out


def drawn_problems(entries, items, count):
    """Wordings as training draws them, with mixed-in words; the sampler has to refuse close ones."""
    heldout = [(words(item["question"]), item["question"]) for item in items]
    sampler, out = Sampler(entries, None, 1, items), []
    for _ in range(count):
        text = sampler.question(sampler.rng.choice(entries))
        own = words(text)
        out += [f"{question}: drawn wording {text!r}" for other, question in heldout
                if jaccard(own, other) >= LIMIT]
    return out


def edit_problems(path):
    """The held-out file is the one that was fixed before training."""
    with open(path, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    return [] if digest == HELDOUT_SHA256 else [f"{path} was edited: its SHA-256 is {digest}, expected {HELDOUT_SHA256}"]


def squeeze(text):
    """Text without what breaks a sentence over lines of code: spaces, comment marks, quotes."""
    return re.sub(r'[\s/"\\]+', "", text)


def width(text):
    return sum(2 if ord(c) > 0x2E80 else 1 for c in text)


def sentences(text):
    """The sentences that are long enough to be nobody else's, squeezed."""
    parts = re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n", text)
    return [squeeze(part) for part in parts if width(part) >= SENTENCE]


def source_problems(entries, src):
    """Answers must come from the weights: none of their sentences may be in the program."""
    told = {sentence: entry.topic for entry in entries.values()
            for sentence in sentences(entry.answer) + sentences(entry.reasoning)}
    out = []
    for folder, _, files in os.walk(src):
        for name in files:
            with open(os.path.join(folder, name), encoding="utf-8", errors="ignore") as f:
                text = squeeze(f.read())
            out += [f"{os.path.join(folder, name)} contains {sentence!r} of topic {topic}"
                    for sentence, topic in told.items() if sentence in text]
    return out


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--repo", default=os.path.join(here, "..", ".."))
    repo = ap.parse_args().repo
    heldout = os.path.join(repo, "models", "demo", "heldout.json")
    items = load_heldout(heldout)
    loaded = load_entries()
    entries = {(e.topic, e.lang): e for e in loaded}
    sets = training_word_sets(loaded)
    with open(os.path.join(here, "chat_template.jinja"), encoding="utf-8") as f:
        template = f.read()
    problems = edit_problems(heldout) + set_problems(items) + source_problems(entries, os.path.join(repo, "src"))
    for item in items:
        problems += [f"{item['question']}: {p}" for p in item_problems(item, entries, sets, template)]
    for entry in loaded:
        if entry.keyword.lower() not in entry.answer.lower():
            problems.append(f"topic {entry.topic} {entry.lang}: keyword {entry.keyword!r} not in the answer")
    problems += drawn_problems(loaded, items, DRAWN)
    for problem in problems:
        print(problem)
    worst = max(closest(item["question"], sets)[0] for item in items)
    print(f"{len(items)} items, {len(loaded)} trained entries, {len(sets)} word sets of training "
          f"questions, highest Jaccard {worst:.3f}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
