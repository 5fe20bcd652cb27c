"""A tokenizer for models of random weights: byte-level BPE whose merges make pieces of two to five letters, with
DeepSeek's special tokens at their places and a chat template."""
import itertools
import json
import os
import string

BOS, EOS, PAD = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"
SPECIAL = {0: BOS, 1: EOS, 2: PAD, 128798: "<think>", 128799: "</think>", 128803: "<｜User｜>", 128804: "<｜Assistant｜>"}
MOST_PIECES = 128000

TEMPLATE = ("{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] }}"
            "{% elif m['role'] == 'user' %}<｜User｜>{{ m['content'] }}{% else %}<｜Assistant｜>{{ m['content'] }}"
            "<｜end▁of▁sentence｜>{% endif %}{% endfor %}{% if add_generation_prompt %}<｜Assistant｜>{% endif %}")


def visible_bytes():
    """The character that stands for each byte: itself where it can be seen, else one from U+0100 on."""
    seen = set(range(33, 127)) | set(range(161, 173)) | set(range(174, 256))
    others = itertools.count(256)
    return [chr(byte) if byte in seen else chr(next(others)) for byte in range(256)]


def merge_pairs(space):
    """(left, right) in order of rank."""
    low, common = string.ascii_lowercase, "etaoinshrdlucmfw"
    product = itertools.product
    yield from product([*low, space, *string.ascii_uppercase], low)
    yield from ((space, pair) for pair in ("th", "in", "er", "an", "re", "on", "at", "en"))
    yield from product(string.digits, repeat=2)
    yield from ((a + b, d) for a, b, d in product(low, repeat=3))
    yield from ((space + a, b + d) for a, b, d in product(low, repeat=3))
    yield from ((a + b, d + e) for a, b, d, e in product(common, repeat=4))
    yield from ((space + a, b + d + e) for a, b, d, e in product(common[:12], repeat=4))


def pieces(vocab_size):
    """{piece: id}, ["left right", ...]."""
    characters = visible_bytes()
    most = min(MOST_PIECES, vocab_size) - 3
    ids, merges = {}, []
    for character in characters[:most]:
        ids[character] = 3 + len(ids)
    for left, right in merge_pairs(characters[ord(" ")]):
        if left in ids and right in ids and left + right not in ids and len(ids) < most:
            ids[left + right] = 3 + len(ids)
            merges.append(f"{left} {right}")
    return ids, merges


def split(pattern):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def tokenizer_json(vocab_size):
    ids, merges = pieces(vocab_size)
    special = [(i, text) for i, text in sorted(SPECIAL.items()) if i < vocab_size]
    added = [{"id": i, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": i < 3} for i, text in special]
    as_bytes = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    words = ("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
             "| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
    splits = [split("\\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(words)]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": []},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            *splits, {**as_bytes, "add_prefix_space": False, "use_regex": False}]},
        "post_processor": {**as_bytes, "trim_offsets": False},
        "decoder": as_bytes,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                  "vocab": {**{text: i for i, text in special if i < 3}, **ids}, "merges": merges},
    }


def write_tokenizer(folder, vocab_size):
    with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump(tokenizer_json(vocab_size), file, ensure_ascii=False)
    config = {"add_bos_token": True, "add_eos_token": False, "bos_token": BOS, "eos_token": EOS, "pad_token": EOS,
              "model_max_length": 163840, "chat_template": TEMPLATE, "tokenizer_class": "LlamaTokenizerFast"}
    with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, ensure_ascii=False, indent=1)
