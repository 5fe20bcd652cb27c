"""Training conversations drawn from the corpus, as token ids with a weight per token."""
import random

from bpe import ASSISTANT, BEGIN, END, THINK, THINK_END, USER, pre_tokenize, to_chars, merge_word
from corpus import surface, variants

SYSTEMS = ["You are a helpful assistant.", "You are Fathom's demo model.", "Answer briefly.",
           "You are a helpful, respectful and honest assistant.", "Be concise.",
           "You are an assistant for people who deploy language models.", "你是一个有用的助手。", "请简短回答。"]
QUESTION_WEIGHT = 0.1        # questions are learned a little, which helps their words to get a meaning
TWO_TURNS, WITH_SYSTEM = 0.12, 0.08
SPLIT_APART = 0.3            # share of questions with coarser pieces broken up (BPE dropout)


class Sampler:
    """Draws conversations; the same seed gives the same conversations."""

    def __init__(self, entries, bpe, seed):
        self.entries, self.bpe, self.rng = entries, bpe, random.Random(seed)
        self.weights = [3.0 if e.topic == "unknown" else 1.0 for e in entries]
        self.by_lang = {lang: [e for e in entries if e.lang == lang] for lang in ("en", "zh")}

    def question(self, entry):
        """A wording of the entry's question."""
        rng = self.rng
        pool = entry.framed if entry.framed and rng.random() < 0.4 else entry.questions
        text = rng.choice(pool)
        if rng.random() < 0.6:
            text = rng.choice(variants(text, entry.lang))
        return surface(text, rng)

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
        reply = encode(entry.reasoning + "\n" + THINK_END + "\n\n" + entry.answer + END)
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
