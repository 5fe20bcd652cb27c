"""The question/answer text of the demo model: topics, question frames and their variants.

A topic file holds blocks that begin with `@ name kind`; the keys below are followed by a colon:
  n, nz   names of the thing, put into the frames of its kind (English, Chinese)
  q, qz   whole questions, separated by |
  t, tz   the short reasoning; a, az the answer; k, kz a keyword of the answer
Topics of kind `talk` have no frames. A topic in one language is an Entry.
"""
import json
import os
import re
from dataclasses import dataclass, field

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
TOPIC_FILES = ["fathom.txt", "commands.txt", "model.txt", "serving.txt", "talk.txt"]
CJK = re.compile("[\u3400-\u9fff]")
WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")


@dataclass
class Entry:
    """One topic in one language: what is asked, thought and answered."""
    topic: str
    kind: str
    lang: str
    reasoning: str
    answer: str
    keyword: str
    questions: list = field(default_factory=list)   # written for this topic
    framed: list = field(default_factory=list)      # names put into frames
    names: list = field(default_factory=list)

    def canonical(self):
        """The question that lists show: the plainest one there is."""
        return (self.framed or self.questions)[0]


def split_bar(text):
    return [part.strip() for part in text.split("|") if part.strip()]


def read_blocks(path):
    """Yields (name, kind, {key: text}) for each topic of a file."""
    block = None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("@"):
            if block:
                yield block
            name, kind = line[1:].split()
            block = (name, kind, {})
            continue
        key, colon, value = line.partition(":")
        if not colon or block is None:
            raise SystemExit(f"{path}:{number}: expected 'key: text', found {line!r}")
        block[2][key] = value.strip()
    if block:
        yield block


def read_frames():
    """{(kind, lang): [frame with {}]}"""
    frames, key = {}, None
    for line in open(os.path.join(DATA, "frames.txt"), encoding="utf-8"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if "{}" in line:
            frames[key].append(line)
        else:
            key = tuple(line.split())
            frames[key] = []
    return frames


def read_generic():
    """({lang: everyday words}, {lang: {word: its synonyms and itself}})"""
    generic, synonyms, part, lang = {}, {"en": {}, "zh": {}}, None, None
    for line in open(os.path.join(DATA, "generic.txt"), encoding="utf-8"):
        line = line.strip()
        if line.startswith("#") or not line:
            continue
        if line.split()[0] in ("words", "synonyms") and line.split()[-1] in ("en", "zh"):
            part, lang = line.split()
        elif part == "words":
            generic[lang] = line.split()
        else:
            for word in line.split():
                synonyms[lang].setdefault(word, []).extend(line.split())
    return generic, synonyms


def capital(text):
    return text[:1].upper() + text[1:]


def entry_of(name, kind, keys, lang, frames):
    """The English or Chinese side of a topic, or None where it has none."""
    z = "z" if lang == "zh" else ""
    if "a" + z not in keys:
        return None
    framed = [capital(frame.format(noun)) for noun in split_bar(keys.get("n" + z, ""))
              for frame in frames.get((kind, lang), [])]
    if lang == "zh":
        framed = [text for text in framed if CJK.search(text)]   # a bare "MLA" is answered in English
    return Entry(name, kind, lang, keys["t" + z], keys["a" + z], keys["k" + z],
                 split_bar(keys["q" + z]), framed, split_bar(keys.get("n" + z, "")))


def read_more():
    """{(topic, lang): further questions}"""
    more = {}
    for line in open(os.path.join(DATA, "more.txt"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            key, _, questions = line.partition(":")
            more[tuple(key.split())] = split_bar(questions)
    return more


def load_entries(second_round=True):
    """All topics; the questions of data/more.txt are asked from the second round of training on."""
    frames, more = read_frames(), read_more() if second_round else {}
    entries = []
    for name in TOPIC_FILES:
        for topic, kind, keys in read_blocks(os.path.join(DATA, name)):
            both = [entry_of(topic, kind, keys, lang, frames) for lang in ("en", "zh")]
            entries += [entry for entry in both if entry]
    for entry in entries:
        entry.questions += more.pop((entry.topic, entry.lang), [])
    if more:
        raise SystemExit(f"more.txt: no such topics: {sorted(more)}")
    return entries


# ------------------------------------------------------------------ variants of a question

PREFIXES = {
    "en": ["Please tell me: ", "Hi, ", "I have a question: ", "Can you tell me: ", "So, ", "Hey, ",
           "Quick question: ", "I would like to know: ", "In short: ", "Well, "],
    "zh": ["请问，", "你好，", "我想知道，", "麻烦问一下，", "能告诉我吗，", "我有个问题：", "请告诉我，", "简单地说，"],
}
SUFFIXES = {"en": [" Please.", " Thanks!", " In one sentence."], "zh": ["谢谢！", "请简短回答。"]}
SWAPS = {
    "en": [("How do I", "How can I"), ("How do I", "How to"), ("What is", "What exactly is"),
           ("What is", "What's"), ("Which", "What"), ("Why", "How come"), ("Can you", "Could you"),
           ("Can I", "May I"), ("Tell me about", "Say something about"), ("What does", "What will"),
           ("Explain", "Please explain"), ("How does", "In what way does"), ("How is", "How exactly is"),
           ("How are", "In which way are"), ("Do I", "Must I")],
    "zh": [("怎样", "怎么"), ("怎样", "如何"), ("为什么", "为何"), ("是什么", "到底是什么"), ("有什么用", "干什么用"),
           ("什么是", "请问什么是"), ("哪个", "哪一个"), ("吗？", "么？"), ("介绍一下", "介绍"), ("能", "可以")],
}
DROPPABLE = {"the", "a", "an", "is", "are", "do", "does", "i", "of", "to", "in", "for", "my", "me",
             "it", "can", "be", "with", "at", "on", "there", "that", "and", "one"}


def swapped(question, lang):
    """The question itself and the same with one phrase replaced by a synonym."""
    out = [question]
    out += [question.replace(a, b, 1) for a, b in SWAPS[lang] if a in question]
    return out


def drops(question, lang):
    """The question with one unimportant word left out."""
    if lang == "zh":
        return [question.replace(c, "", 1) for c in "的是一" if c in question and len(question) > 6]
    words = question.split()
    if len(words) < 4:
        return []
    return [" ".join(words[:i] + words[i + 1:]) for i, word in enumerate(words)
            if word.lower().strip("?.,!") in DROPPABLE]


def variants(question, lang):
    """Every wording that training may show for a question, apart from case and punctuation."""
    out = []
    for base in swapped(question, lang):
        out.append(base)
        lowered = base[:1].lower() + base[1:] if lang == "en" and base[1:2].islower() else base
        out += [prefix + lowered for prefix in PREFIXES[lang]]
        out += [base + suffix for suffix in SUFFIXES[lang]]
        out += drops(base, lang)
    return out


def surface(text, rng):
    """Case and closing punctuation as people type them; the set of words stays the same."""
    roll = rng.random()
    if roll < 0.30:
        text = text.rstrip("?.!？。！")
    elif roll < 0.36:
        text = text.rstrip("?.!？。！") + ("？" if CJK.search(text) else "?")
    if rng.random() < 0.25:
        text = text.lower()
    return text


# ------------------------------------------------------------------ word sets

def words(text):
    """Lower-case words [a-z0-9]+; each CJK character is a word of its own."""
    return frozenset(WORD.findall(text.lower()))


def jaccard(a, b):
    return len(a & b) / len(a | b) if a or b else 0.0


def training_word_sets(entries):
    """{word set: one question that has it} over all questions and all their variants."""
    sets = {}
    for entry in entries:
        for question in entry.questions + entry.framed:
            for text in variants(question, entry.lang):
                sets.setdefault(words(text), text)
    return sets


def load_heldout(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)["items"]
