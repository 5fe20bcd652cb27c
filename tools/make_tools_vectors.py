#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/tools_vectors.json: conversations with tools, and what Jinja2 renders published chat templates to.

    python3 tools/make_tools_vectors.py > tests/golden/tokenizer/tools_vectors.json     (needs python3-jinja2)

The environment is transformers' (see make_jinja_vectors.py). Each conversation is whole: what is called and what the tool answered.
"""
import datetime
import json
import pathlib

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

TEMPLATES = pathlib.Path(__file__).parent.parent / "tests/golden/tokenizer/templates"
BOS = {"deepseek-v3.1": "<｜begin▁of▁sentence｜>", "llama-3.1-8b-instruct": "<|begin_of_text|>", "qwen2.5-7b-instruct": ""}

TOOLS = [{"type": "function", "function": {
    "name": "weather", "description": "The weather of a city, as \"it\" is <now> & here.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "Name, e.g. Köln"},
                                                    "days": {"type": "integer"}}, "required": ["city"]}}},
         {"type": "function", "function": {"name": "time", "description": "Now", "parameters": {"type": "object", "properties": {}}}}]
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather in 北京?"}]
CALL = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": {"city": "北京", "days": 2}}}]}
ANSWERED = ASKED + [CALL, {"role": "tool", "tool_call_id": "call_1", "content": "{\"sky\": \"clear\"}"}]
CONVERSATIONS = {"asked": ASKED, "answered": ANSWERED}


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    env.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: datetime.datetime(2026, 1, 2).strftime(form)
    return env


def main():
    outputs = []
    for template, bos in BOS.items():
        compiled = environment().from_string((TEMPLATES / f"{template}.jinja").read_text())
        for name, messages in CONVERSATIONS.items():
            text = compiled.render(messages=messages, tools=TOOLS, add_generation_prompt=True, bos_token=bos)
            outputs.append({"template": template, "bos_token": bos, "conversation": name, "text": text})
    document = {"meta": {"jinja2": jinja2.__version__}, "tools": TOOLS, "conversations": CONVERSATIONS, "outputs": outputs}
    print(json.dumps(document, ensure_ascii=False, indent=1))


main()
