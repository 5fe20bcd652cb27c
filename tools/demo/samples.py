"""Training conversations drawn from the corpus, as token ids with a weight per token."""
import random
import re

from bpe import ASSISTANT, BEGIN, END, THINK, THINK_END, USER, merge_word, pre_tokenize, to_chars
from corpus import CJK, capital, jaccard, read_generic, surface, variants, words

SYSTEMS = ["You are a helpful assistant.", "You are Fathom's demo model.", "Answer briefly.",
           "You are a helpful, respectful and honest assistant.", "Be concise.",
           "You are an assistant for people who deploy language models.", "你是一个有用的助手。", "请简短回答。"]
QUESTION_WEIGHT = 0.05       # questions are learned a little, which helps their words to get a meaning
TWO_TURNS, WITH_SYSTEM = 0.10, 0.08
REASONING_ONLY = 0.5         # share of conversations that stop there: the topic is what has to be learned
SPLIT_APART = 0.3            # share of questions with coarser pieces broken up (BPE dropout)
LIMIT = 0.6                  # a wording as close as this to a held-out question is not trained


def choice_runs(rng, words, most):
    """One to `most` words of a list, as they come."""
    return [rng.choice(words) for _ in range(rng.randint(1, most))]


class Wordings:
    """Rewrites a question at random: synonyms, left-out and mixed-in everyday words, excerpts."""

    def __init__(self, rng):
        self.rng = rng
        self.generic, self.synonyms = read_generic()

    def with_synonyms(self, text, lang):
        rng, table = self.rng, self.synonyms[lang]
        if lang == "zh":
            for word in [w for w in table if w in text]:
                if rng.random() < 0.4:
                    text = text.replace(word, rng.choice(table[word]), 1)
            return text
        parts = re.split(r"(\W+)", text)
        return "".join(rng.choice(table[p.lower()]) if p.lower() in table and rng.random() < 0.4 else p
                       for p in parts)

    def units(self, text, lang):
        """What may be left out or moved apart: words, or runs of one to three Chinese characters."""
        if lang == "en":
            return text.split()
        out = []
        for piece in re.findall("[\u3400-\u9fff]+|[^\u3400-\u9fff]+", text):
            while CJK.match(piece) and len(piece) > 3:
                n = self.rng.randint(1, 3)
                out.append(piece[:n])
                piece = piece[n:]
            out.append(piece)
        return out

    def mixed(self, text, lang):
        """Some everyday words left out, others mixed in, so that only what matters stays."""
        rng, generic = self.rng, self.generic[lang]
        known = set(generic)
        units = [u for u in self.units(text, lang)
                 if not (u.lower().strip("?.,!？。，") in known and rng.random() < 0.35)]
        for _ in range(rng.randint(0, 3)):
            at = rng.choice([0, len(units), rng.randint(0, len(units))])
            units[at:at] = choice_runs(rng, generic, 3)
        return (" " if lang == "en" else "").join(units)

    def around(self, name, lang):
        """A name among everyday words."""
        units = choice_runs(self.rng, self.generic[lang], 5) + [name]
        units += [self.rng.choice(self.generic[lang]) for _ in range(self.rng.randint(0, 5))]
        return (" " if lang == "en" else "").join(units)

    def excerpt(self, entry):
        """A few words of the answer, as someone may half remember it."""
        units = self.units(entry.answer, entry.lang)
        n = self.rng.randint(3, 8)
        at = self.rng.randint(0, max(0, len(units) - n))
        return self.mixed((" " if entry.lang == "en" else "").join(units[at:at + n]), entry.lang)


class Sampler:
    """Draws conversations; the same seed gives the same conversations."""

    def __init__(self, entries, bpe, seed, heldout):
        self.entries, self.bpe, self.rng = entries, bpe, random.Random(seed)
        self.weights = [3.0 if e.topic == "unknown" else 1.0 for e in entries]
        self.by_lang = {lang: [e for e in entries if e.lang == lang] for lang in ("en", "zh")}
        self.wordings = Wordings(self.rng)
        self.heldout = [words(item["question"]) for item in heldout]

    def wording(self, entry):
        """Some wording of the entry's question, near or far from the written ones."""
        rng, lang, roll = self.rng, entry.lang, self.rng.random()
        if entry.names and roll < 0.12:
            return self.wordings.around(rng.choice(entry.names), lang)
        if roll < 0.17 and entry.kind != "talk":
            return self.wordings.excerpt(entry)
        text = rng.choice(entry.framed if entry.framed and rng.random() < 0.3 else entry.questions)
        if rng.random() < 0.4:
            text = rng.choice(variants(text, lang))
        if rng.random() < 0.5:
            text = self.wordings.with_synonyms(text, lang)
        if rng.random() < 0.5:
            text = self.wordings.mixed(text, lang)
        if lang == "en" and rng.random() < 0.5:
            text = capital(text)
        return text

    def question(self, entry):
        """A wording that is not close to a held-out question."""
        while True:
            text = surface(self.wording(entry), self.rng)
            own = words(text)
            if text and all(jaccard(own, other) < LIMIT for other in self.heldout):
                return text

    def broken_up(self, text):
        """Ids of text in which merges are skipped at random, so that rare splits are known too."""
        ids = []
        for piece in pre_tokenize(text):
            symbols = to_chars(piece)
            while len(symbols) > 1:
                pairs = [p for p in zip(symbols, symbols[1:])
                         if p in self.bpe.rank and self.rng.random() > 0.1]
                if not pairs:
                    break
                symbols = merge_word(symbols, min(pairs, key=self.bpe.rank.get))
            ids += [self.bpe.ids[s] for s in symbols]
        return ids

    def question_ids(self, entry):
        text = self.question(entry)
        return self.broken_up(text) if self.rng.random() < SPLIT_APART else self.bpe.encode(text)

    def history(self, lang):
        """An earlier turn as the template renders it: without its reasoning."""
        entry = self.rng.choice(self.by_lang[lang])
        gap = "\n\n" if self.rng.random() < 0.5 else ""
        return (self.bpe.encode(USER) + self.question_ids(entry)
                + self.bpe.encode(ASSISTANT + gap + entry.answer + END))

    def conversation(self):
        """(ids, weight of each id as a target, is it a question token)."""
        rng, encode = self.rng, self.bpe.encode
        entry = rng.choices(self.entries, self.weights)[0]
        head = encode(BEGIN)
        if rng.random() < WITH_SYSTEM:
            head += encode(rng.choice(SYSTEMS))
        if rng.random() < TWO_TURNS:
            head += self.history(entry.lang)
        head += encode(USER)
        question = self.question_ids(entry)
        prompt_end = encode(ASSISTANT + THINK + "\n")
        reply = encode(entry.reasoning + "\n" + THINK_END)
        if rng.random() >= REASONING_ONLY:
            reply += encode("\n\n" + entry.answer + END)
        ids = head + question + prompt_end + reply
        weight = ([0.0] * len(head) + [QUESTION_WEIGHT] * len(question) + [0.0] * len(prompt_end)
                  + [1.0] * len(reply))
        asked = [False] * len(head) + [True] * len(question) + [False] * (len(prompt_end) + len(reply))
        return ids, weight, asked

    def batches(self, size, count):
        """`count` batches of similar lengths, in random order."""
        pool = sorted((self.conversation() for _ in range(size * count)), key=lambda c: len(c[0]))
        out = [pool[i * size:(i + 1) * size] for i in range(count)]
        self.rng.shuffle(out)
        return out
