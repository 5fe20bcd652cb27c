"""Byte-level BPE with DeepSeek's pre-tokenizer: learning, encoding, tokenizer.json."""
import collections
import re
import unicodedata

BEGIN, END, PAD = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"
THINK, THINK_END = "<think>", "</think>"
USER, ASSISTANT = "<｜User｜>", "<｜Assistant｜>"
FIRST = [BEGIN, END, PAD]
LAST = [THINK, THINK_END, "<｜fim▁hole｜>", "<｜fim▁begin｜>", "<｜fim▁end｜>", USER, ASSISTANT, "<|EOT|>",
        "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>",
        "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>",
        "<｜tool▁output▁end｜>", "<｜tool▁sep｜>"]
SPECIAL = set(FIRST) | {"<|EOT|>"}     # the others survive skip_special_tokens, as in DeepSeek-R1

DIGITS = "\\p{N}{1,3}"
CJK_RUN = "[一-龥぀-ゟ゠-ヿ]+"
MAIN = ("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        "| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")


def category_ranges(letter):
    """The characters of a general category as the inside of a regex class."""
    ranges, start = [], None
    for code in range(0x30000):
        inside = unicodedata.category(chr(code))[0] == letter
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append((start, code - 1))
            start = None
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges)


def compile_split(pattern):
    """Python's re knows no \\p{..}, so the classes are written out."""
    for letter in "LMNPS":
        name = "\\p{%s}" % letter
        if name in pattern:
            ranges = category_ranges(letter)
            pattern = re.sub(r"\[[^\]]*?" + re.escape(name) + r"[^\]]*\]",
                             lambda m: m.group().replace(name, ranges), pattern)
            pattern = pattern.replace(name, "[" + ranges + "]")
    return re.compile(pattern)


SPLITS = [compile_split(p) for p in (DIGITS, CJK_RUN, MAIN)]


def isolate(pieces, pattern):
    """HF's `Isolated` split: matches and what lies between them are pieces of their own."""
    for piece in pieces:
        at = 0
        for match in pattern.finditer(piece):
            if match.start() > at:
                yield piece[at:match.start()]
            if match.group():
                yield match.group()
            at = match.end()
        if at < len(piece):
            yield piece[at:]


def pre_tokenize(text):
    pieces = [text]
    for pattern in SPLITS:
        pieces = list(isolate(pieces, pattern))
    return pieces


def byte_chars():
    """The printable stand-in for each byte that byte-level BPE vocabularies use."""
    keep = set(range(33, 127)) | set(range(161, 173)) | set(range(174, 256))
    table, extra = {}, 256
    for byte in range(256):
        table[byte] = chr(byte) if byte in keep else chr(extra)
        extra += byte not in keep
    return table


CHARS = byte_chars()
ASCII_CHARS = {CHARS[b] for b in range(128)}


def to_chars(piece):
    return [CHARS[b] for b in piece.encode("utf-8")]


def merge_word(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == pair:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def too_long(token):
    """More than two Chinese characters: phrases as tokens would hide the words in them."""
    return sum(c not in ASCII_CHARS for c in token) > 6


def learn_merges(counts, limit):
    """The `limit` most frequent merges of words {piece: count}; ties go to the lesser pair."""
    table = [(to_chars(piece), n) for piece, n in sorted(counts.items())]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for i, (symbols, n) in enumerate(table):
        for pair in zip(symbols, symbols[1:]):
            pairs[pair] += n
            where[pair].add(i)
    merges, known = [], set(CHARS.values())
    while len(merges) < limit and pairs:
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < 1:
            raise SystemExit(f"the text yields only {len(merges)} of {limit} merges")
        if too_long(best[0] + best[1]):
            pairs.pop(best)
            continue
        if best[0] + best[1] not in known:      # two merges may spell one token; it gets one id
            known.add(best[0] + best[1])
            merges.append(best)
        else:
            pairs.pop(best)
            continue
        for i in sorted(where.pop(best)):
            symbols, n = table[i]
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] -= n
            symbols = merge_word(symbols, best)
            table[i] = (symbols, n)
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += n
                where[pair].add(i)
        pairs.pop(best, None)
    return merges


class Bpe:
    """Text to ids and back. Ids: the first added tokens, 256 bytes, merges, the last added tokens."""

    def __init__(self, merges):
        self.merges = merges
        tokens = FIRST + [CHARS[b] for b in range(256)] + [a + b for a, b in merges] + LAST
        self.tokens = tokens
        self.ids = {token: i for i, token in enumerate(tokens)}
        self.rank = {pair: i for i, pair in enumerate(merges)}
        self.added = re.compile("(" + "|".join(map(re.escape, sorted(FIRST + LAST, key=len, reverse=True))) + ")")
        self.cache = {}

    def encode_piece(self, piece):
        if piece not in self.cache:
            symbols = to_chars(piece)
            while len(symbols) > 1:
                best = min(zip(symbols, symbols[1:]), key=lambda p: self.rank.get(p, len(self.rank)))
                if best not in self.rank:
                    break
                symbols = merge_word(symbols, best)
            self.cache[piece] = [self.ids[s] for s in symbols]
        return self.cache[piece]

    def encode(self, text):
        ids = []
        for i, part in enumerate(self.added.split(text)):
            if i % 2:
                ids.append(self.ids[part])
            else:
                for piece in pre_tokenize(part):
                    ids += self.encode_piece(piece)
        return ids

    def to_json(self):
        """The content of tokenizer.json, in the layout of DeepSeek's file."""
        added = [dict(id=self.ids[t], content=t, single_word=False, lstrip=False, rstrip=False,
                      normalized=t not in SPECIAL, special=t in SPECIAL) for t in FIRST + LAST]
        split = lambda rx: dict(type="Split", pattern=dict(Regex=rx), behavior="Isolated", invert=False)
        vocab = {t: i for i, t in enumerate(self.tokens) if t not in LAST}
        return dict(
            version="1.0", truncation=None, padding=None, added_tokens=added,
            normalizer=dict(type="Sequence", normalizers=[]),
            pre_tokenizer=dict(type="Sequence", pretokenizers=[
                split(DIGITS), split(CJK_RUN), split(MAIN),
                dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=False)]),
            post_processor=dict(type="ByteLevel", add_prefix_space=True, trim_offsets=False, use_regex=True),
            decoder=dict(type="ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True),
            model=dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix=None,
                       end_of_word_suffix=None, fuse_unk=False, byte_fallback=False, vocab=vocab,
                       merges=[f"{a} {b}" for a, b in self.merges]))
