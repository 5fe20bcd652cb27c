#!/usr/bin/python3
"""Asks the exported demo model the held-out and the training questions, greedily.

Usage: eval_heldout.py [--model models/demo] [--train] [--verbose]

Prints how many answers contain their keyword, and the wrong ones. Writes nothing. Exit code 1 if fewer
than 85 % of the held-out answers, or 150 of the training answers with --train, are right.
"""
import argparse
import os
import sys

import torch

from corpus import load_entries, load_heldout
from reference import Reference, Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "..", "..", "models", "demo")
LENGTH = 128


class Demo:
    def __init__(self, folder):
        self.tokenizer, self.model = Tokenizer(folder), Reference(folder)

    def prompt_ids(self, messages):
        return self.tokenizer.encode(self.tokenizer.chat(messages))

    def reply_ids(self, question, history=()):
        prompt = self.prompt_ids([*history, dict(role="user", content=question)])
        return prompt, self.model.greedy(prompt, LENGTH)[0]

    def ask(self, question, history=()):
        """(reasoning, answer) of a reply; the answer is empty if the reasoning never ends."""
        ids = [i for i in self.reply_ids(question, history)[1] if i != self.model.c["eos_token_id"]]
        reasoning, _, answer = self.tokenizer.decode(ids).partition("</think>")
        return reasoning.strip(), answer.strip()


def count_right(demo, items, verbose):
    """Number of items whose answer has the keyword; prints the others."""
    right = 0
    for question, keyword, label in items:
        reasoning, answer = demo.ask(question)
        good = keyword.lower() in answer.lower()
        right += good
        if verbose or not good:
            print(f"{'right' if good else 'WRONG'} [{label}] {question}\n"
                  f"   wanted {keyword!r}; thought: {reasoning}\n   said: {answer}")
    return right


def draft_rate(demo, questions):
    """Share of reply tokens that the MTP layer would have drafted rightly."""
    hits = total = 0
    for question in questions:
        prompt, reply = demo.reply_ids(question)
        drafts = demo.model.drafts(prompt + reply)[len(prompt) - 1:]
        hits += sum(a == b for a, b in zip(drafts, reply[1:]))
        total += len(reply) - 1
    return hits / total


def exact_answers(demo, entries):
    """How many canonical questions are answered word for word."""
    return sum(demo.ask(e.canonical())[1] == e.answer for e in entries)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--model", default=MODEL)
    ap.add_argument("--heldout", default=os.path.join(MODEL, "heldout.json"))
    ap.add_argument("--train", action="store_true", help="ask the training questions too")
    ap.add_argument("--verbose", action="store_true", help="print the right answers too")
    args = ap.parse_args()
    torch.set_num_threads(1)
    demo, entries = Demo(args.model), load_entries()
    items = [(i["question"], i["keyword"], i["topic"]) for i in load_heldout(args.heldout)]
    right = count_right(demo, items, args.verbose)
    print(f"held-out: {right}/{len(items)} right")
    good = right >= 0.85 * len(items)
    if args.train:
        asked = [(e.canonical(), e.keyword, e.topic) for e in entries]
        trained = count_right(demo, asked, False)
        print(f"training questions: {trained}/{len(asked)} right, {exact_answers(demo, entries)} word for word")
        print(f"MTP drafts accepted: {draft_rate(demo, [e.canonical() for e in entries[::10]]):.1%}")
        good = good and trained >= 150
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
