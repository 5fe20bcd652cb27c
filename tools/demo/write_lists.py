#!/usr/bin/python3
"""Writes the lists that the program's tests compare with: questions.json and expected.json.

Usage: write_lists.py [--model models/demo]

questions.json holds one question of each trained topic with a keyword of its answer; expected.json the
exact greedy token ids of some prompts, from float32 torch with the dequantised weights.
"""
import argparse
import os

import torch

from corpus import load_entries
from eval_heldout import MODEL, Demo
from export import write_json

SAMPLES = [("fathom", "en"), ("who-are-you", "en"), ("mla", "en"), ("moe", "zh"), ("prefill", "en"),
           ("run", "en"), ("kvcache", "zh"), ("who-are-you", "zh"), ("exit-codes", "en"), ("plan", "zh")]
LENGTH = 64


def questions(entries):
    return [dict(question=e.canonical(), keyword=e.keyword, lang=e.lang, topic=e.topic) for e in entries]


def expected_item(demo, messages):
    """One prompt with its greedy continuation and what the MTP layer drafts along it."""
    prompt_text = demo.tokenizer.chat(messages)
    prompt = demo.tokenizer.encode(prompt_text)
    ids, margins = demo.model.greedy(prompt, LENGTH)
    return dict(messages=messages, prompt=prompt_text, prompt_ids=prompt, ids=ids,
                text=demo.tokenizer.decode(ids), margins=[round(m, 4) for m in margins],
                mtp_drafts=demo.model.drafts(prompt + ids)[len(prompt) - 1:])


def expected(demo, entries):
    by_key = {(e.topic, e.lang): e for e in entries}
    user = lambda key: dict(role="user", content=by_key[key].canonical())
    asked = [[user(key)] for key in SAMPLES]
    asked.append([user(("hello", "en")), dict(role="assistant", content=by_key["hello", "en"].answer),
                  user(("decode", "en"))])
    asked.append([dict(role="system", content="Answer briefly."), user(("tp", "en"))])
    return dict(
        about="Greedy continuations in float32 with the dequantised weights. ids end with the end-of-sentence "
              "token or after 64 tokens; margins[i] is the gap between the best and the second logit for ids[i]; "
              "mtp_drafts[i] is the MTP layer's guess for ids[i + 1] from the true tokens up to ids[i].",
        items=[expected_item(demo, messages) for messages in asked])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--model", default=MODEL)
    folder = ap.parse_args().model
    torch.set_num_threads(1)
    entries = load_entries()
    write_json(folder, "questions.json", dict(items=questions(entries)))
    write_json(folder, "expected.json", expected(Demo(folder), entries), None)
    print("wrote", os.path.join(folder, "questions.json"), "and expected.json")


if __name__ == "__main__":
    main()
