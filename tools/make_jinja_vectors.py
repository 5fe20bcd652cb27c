#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/jinja_vectors.json: small templates and what Jinja2 renders them to.

    python3 tools/make_jinja_vectors.py > tests/golden/tokenizer/jinja_vectors.json     (needs python3-jinja2)

The environment is the one that chat templates are rendered in: an immutable sandbox with trim_blocks, lstrip_blocks,
loop controls, json.dumps without ASCII escapes, raise_exception and strftime_now (here of a fixed date).
"""
import datetime
import json

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

VARIABLES = {
    "n": 7, "x": 2.5, "t": True, "f": False, "nil": None, "s": "Hello World", "e": "", "u": "héllo 世界 👍",
    "words": ["a", "b", "c", "d"], "nums": [3, 1, 2, 3], "empty": [],
    "d": {"b": 1, "a": {"k": [1, 2.0, None, True, "q\"'\n"]}, "c": "x"},
    "users": [{"name": "Ann", "age": 30, "ok": True}, {"name": "Bob", "age": 25, "ok": False}, {"name": "Cy", "ok": True}],
    "big": 18446744073709551615,
    # What becomes several characters in another case, and the first that have one.
    "cased": " ".join(c for c in map(chr, range(0xD800)) if max(len(c.upper()), len(c.title()), len(c.lower())) > 1)
             + "".join(c for c in map(chr, range(0x600)) if c.upper() != c.lower()),
}

TEMPLATES = r"""
plain text {{ s }}
{{ s }}{{ e }}{{ nil }}{{ t }}{{ f }}{{ n }}{{ x }}
{{ missing }}|{{ missing is defined }}|{{ d.missing }}|{{ d['missing'] is undefined }}
{{ missing + 'a' }}
{{ missing.attr }}
{{ missing() }}
{{ d.missing.more }}
{{ 'a' + 1 }}
{{ 'a' + nil }}
{{ 'a' ~ 1 ~ nil ~ t ~ x }}
{{ 1 + 2 * 3 - 4 / 2 }}|{{ 7 // 2 }}|{{ -7 // 2 }}|{{ -7 % 3 }}|{{ 7 % -3 }}|{{ 2 ** 10 }}|{{ 2 ** -1 }}|{{ 7.5 // 2 }}|{{ -7.5 % 2 }}
{{ 2 ** 3 ** 2 }}|{{ -2 ** 2 }}|{{ (1 + 2) * 3 }}|{{ 10 / 4 }}|{{ 4 / 2 }}
{{ 1 / 0 }}
{{ 1e3 }}|{{ 1.0 }}|{{ 1e16 }}|{{ 1e15 }}|{{ 1.5e-5 }}|{{ 0.0001 }}|{{ 123456789.123 }}|{{ 1_000 }}|{{ -0.0 }}|{{ 1e300 * 1e10 }}
{{ big }}|{{ big > 5 }}
{{ 'ab' * 3 }}|{{ 'ab' * 0 }}|{{ 'ab' * -1 }}
{{ [1] + [2, 'x'] }}|{{ (1, 2) + (3,) }}|{{ (1,) }}|{{ () }}|{{ [] }}|{{ {} }}
{{ [1, 'a', "it's", 'q"', none, true, 1.0, {'k': (1,)}] }}
{{ ['\n\t\\', '\x07é'] }}
{{ 1 < 2 < 3 }}|{{ 1 < 2 > 3 }}|{{ 'a' < 'b' }}|{{ 1 == 1.0 }}|{{ true == 1 }}|{{ '1' == 1 }}|{{ [1] == [1.0] }}|{{ {'a': 1} == {'a': 1} }}|{{ none == none }}
{{ 1 < 'a' }}
{{ nil < 1 }}
{{ 'ell' in s }}|{{ 'z' not in s }}|{{ 'b' in words }}|{{ 'b' in d }}|{{ 1 in d }}|{{ 'x' in missing }}|{{ '' in '' }}|{{ not 'a' in 'b' }}
{{ 1 in 'abc' }}
{{ 'a' in nil }}
{{ t and s }}|{{ f or 'z' }}|{{ e and missing.x }}|{{ not e }}|{{ 0 or none }}|{{ not n == 8 }}
{{ 'yes' if t else 'no' }}|{{ 'yes' if f }}|{{ 'a' if f else 'b' if f else 'c' }}|{{ ('a' if t) ~ 'b' }}
{{ s[0] }}{{ s[-1] }}|{{ s[1:4] }}|{{ s[::-1] }}|{{ s[:-3] }}|{{ s[-3:] }}|{{ s[::2] }}|{{ s[10:2:-3] }}|{{ s[99:] }}|{{ s[99] }}
{{ u[1] }}|{{ u[6:8] }}|{{ u[::-1] }}|{{ u | length }}|{{ u[-1] }}
{{ words[1:] }}|{{ words[::-1] }}|{{ words[-2] }}|{{ words[9] }}|{{ words[1:3][0] }}|{{ (1, 2, 3)[1:] }}|{{ words[:none] }}
{{ words[::0] }}
{{ d.a.k[4] }}|{{ d['a']['k'][1] }}|{{ users.0.name }}|{{ users[1]['name'] }}
{{ s.upper() }}|{{ s.lower() }}|{{ s.title() }}|{{ 'hELLO wORLD'.capitalize() }}|{{ "it's a dog".title() }}
{{ ' a b '.strip() }}|{{ ' a b '.lstrip() }}|{{ ' a b '.rstrip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'abcab'.lstrip('ba') }}|{{ 'abcab'.rstrip('ba') }}|{{ '\n\n'.strip() }}.
{{ 'a,b,,c'.split(',') }}|{{ ' a  b c '.split() }}|{{ 'a b c'.split(' ', 1) }}|{{ ' a b c '.split(none, 1) }}|{{ 'a,b,c'.rsplit(',', 1) }}|{{ ' a b c '.rsplit(none, 1) }}|{{ ''.split() }}|{{ ''.split(',') }}
{{ 'a</think>b</think>c'.split('</think>')[-1] }}|{{ 'a</think>b</think>c'.split('</think>', 1)[1] }}|{{ 'none'.split('</think>')[-1] }}
{{ 'a'.split('') }}
{{ 'x\ny\r\nz\n'.splitlines() }}
{{ s.startswith('Hell') }}|{{ s.endswith('x') }}|{{ s.startswith(('a', 'H')) }}|{{ s.find('o') }}|{{ s.rfind('o') }}|{{ s.find('zz') }}|{{ u.find('世') }}|{{ s.count('l') }}|{{ '123'.isdigit() }}|{{ 'a1'.isdigit() }}
{{ s.replace('l', 'L') }}|{{ s.replace('l', 'L', 1) }}|{{ 'abc'.replace('', '-') }}|{{ s | replace('World', 'You') }}|{{ 12 | replace('1', 'x') }}
{{ ', '.join(words) }}|{{ ''.join([]) }}
{{ ', '.join([1]) }}
{{ d.items() | list }}|{{ d.keys() | list }}|{{ d.values() | list }}|{{ d.get('b') }}|{{ d.get('zz') }}|{{ d.get('zz', 'fallback') }}
{{ words.index('c') }}|{{ words.count('a') }}
{{ words.append('x') }}
{{ d.update({'a': 1}) }}
{{ s.nomethod() }}
{{ s.attribute }}|{{ n.attribute }}
{{ d | tojson }}|{{ u | tojson }}|{{ nil | tojson }}|{{ [] | tojson }}|{{ {} | tojson }}|{{ 'a\u0001\u007f<&>\'"\\/' | tojson }}
{{ d | tojson(indent=2) }}
{{ d | tojson(indent=4, sort_keys=true) }}
{{ {'a': [], 'b': {}, 'c': [[1], {}]} | tojson(indent=1) }}
{{ d | tojson(separators=(',', ':')) }}|{{ u | tojson(ensure_ascii=true) }}|{{ [1.0, 1e20, 0.1, -3, big] | tojson }}
{{ missing | tojson }}
{{ d | tojson(nonsense=1) }}
{{ '  a  ' | trim }}|{{ 'xax' | trim('x') }}|{{ nil | trim }}|{{ 5 | trim }}|{{ missing | trim }}.
{{ words | length }}|{{ d | length }}|{{ s | count }}|{{ missing | length }}
{{ 5 | length }}
{{ missing | default('x') }}|{{ e | default('x') }}|{{ e | default('x', true) }}|{{ nil | default('x') }}|{{ nil | d('y', boolean=true) }}|{{ missing | default }}.
{{ words | join }}|{{ words | join(', ') }}|{{ nums | join('-') }}|{{ users | join('/', attribute='name') }}
{{ s | upper }}|{{ s | lower }}|{{ s | capitalize }}|{{ s | title }}|{{ 5 | upper }}
{{ words | first }}|{{ words | last }}|{{ empty | first }}|{{ s | first }}|{{ words | list }}|{{ 'abc' | list }}|{{ d | list }}
{{ d | items | list }}|{{ missing | items | list }}
{{ 5 | items | list }}
{{ '42' | int }}|{{ '4.7' | int }}|{{ 'x' | int }}|{{ 'x' | int(9) }}|{{ 3.9 | int }}|{{ '2.5' | float }}|{{ 'x' | float }}|{{ 3 | float }}|{{ 5 | string }}|{{ -5 | abs }}|{{ -2.5 | abs }}
{{ nums | max }}|{{ nums | min }}|{{ nums | unique | list }}|{{ words | reverse | list }}|{{ 'abc' | reverse }}
{{ users | selectattr('ok') | map(attribute='name') | list }}|{{ users | rejectattr('ok') | map(attribute='name') | list }}|{{ users | selectattr('age', 'defined') | map(attribute='age') | list }}
{{ users | selectattr('name', 'equalto', 'Bob') | map(attribute='age') | list }}|{{ users | map(attribute='age', default=0) | list }}|{{ words | map('upper') | join }}|{{ words | map('replace', 'a', 'z') | list }}
{{ nums | select('odd') | list }}|{{ nums | reject('equalto', 3) | list }}|{{ [0, 1, '', 'a'] | select | list }}|{{ nums | select('greaterthan', 1) | list }}|{{ words | reject('in', ['a', 'b']) | join(',') }}
{{ 'a\nb\n\nc' | indent }}|{{ 'a\nb' | indent(2, true) }}|{{ 'a\n\nb' | indent(width=1, blank=true) }}|{{ 'a\nb' | indent('> ') }}
{{ n is defined }}|{{ nil is none }}|{{ s is string }}|{{ d is mapping }}|{{ words is iterable }}|{{ s is iterable }}|{{ n is iterable }}|{{ words is sequence }}|{{ n is number }}|{{ t is number }}|{{ x is float }}|{{ n is integer }}|{{ t is integer }}|{{ t is boolean }}|{{ t is true }}|{{ n is true }}|{{ f is false }}|{{ nil is false }}
{{ n is odd }}|{{ n is even }}|{{ n is divisibleby 7 }}|{{ n is divisibleby(2) }}|{{ n is eq 7 }}|{{ n is gt 3 }}|{{ n is not none }}|{{ n is not string }}|{{ n is in [7] }}|{{ nil is sameas none }}|{{ 'AB' is upper }}|{{ 'ab' is lower }}|{{ range is callable }}|{{ missing is iterable }}
{{ not missing is defined }}|{{ n is defined and s is string }}|{{ 'a' + s is string }}|{{ n | string is string }}
{{ n is nonsense }}
{{ n | nonsense }}
{{ s | trim | upper | replace('WORLD', 'x') | length }}
{{ 'a' 'b' "c" }}|{{ 'it\'s' }}|{{ "\u4e16\x41\101\q" }}|{{ 'a\
b' }}
{{ [1, 2,] }}|{{ {'a': 1,} }}|{{ 1, 2 }}
{{ range(3) | list }}|{{ range(1, 4) | list }}|{{ range(5, 0, -2) | list }}|{{ dict(a=1, b='x') }}|{{ dict({'k': 1}, z=2) }}
{{ range(200000) | list | length }}
{% for w in words %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('o', 'e') }};{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}|{% for k in d %}{{ k }}{% endfor %}|{% for c in 'hé' %}[{{ c }}]{% endfor %}|{% for z in missing %}x{% else %}none{% endfor %}
{% for u in users if u.ok %}{{ loop.index }}/{{ loop.length }}{{ u.name }} {% else %}none{% endfor %}|{% for u in users if u.age is defined and u.age > 99 %}x{% else %}none{% endfor %}
{% for w in words %}{% if w == 'b' %}{% continue %}{% endif %}{% if w == 'd' %}{% break %}{% endif %}{{ w }}{% endfor %}
{% for a in nums %}{% for b in words[:2] %}{{ loop.index }}{{ b }}{% endfor %}{{ loop.index }} {% endfor %}
{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}{% for a, b in [[1]] %}{% endfor %}
{% for z in 5 %}{% endfor %}
{% set q = 1 %}{% for w in words %}{% set q = q + 1 %}{{ q }}{% endfor %}{{ q }}
{% set ns = namespace(count=0, seen=[]) %}{% for w in words %}{% set ns.count = ns.count + 1 %}{% set ns.seen = ns.seen + [w] %}{% endfor %}{{ ns.count }}{{ ns.seen }}{{ ns.missing is defined }}
{% set n.x = 1 %}
{% set a, b = 1, 'two' %}{{ a }}{{ b }}{% set c = d.a %}{{ c.k[0] }}
{% set block %}text {{ n }}{% endset %}[{{ block }}]{% set up | upper | trim %} x {{ s }} {% endset %}[{{ up }}]
{% if n > 10 %}a{% elif n > 5 %}b{% else %}c{% endif %}{% if e %}x{% endif %}{% if missing %}y{% elif nil %}z{% endif %}
{% if t %}{% set inner = 'seen' %}{% endif %}{{ inner }}
{% macro m(a, b='B', c=n) %}<{{ a }}{{ b }}{{ c }}>{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b='x', a='y') }}{{ m() }}{{ m(1) | length }}
{% macro fact(k) %}{% if k <= 1 %}1{% else %}{{ k * fact(k - 1) | int }}{% endif %}{% endmacro %}{{ fact(5) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m() %}{{ hidden }}{% endmacro %}{% for hidden in [1] %}[{{ m() }}]{% endfor %}
{% raw %}{{ not }} {% rendered %}{% endraw %}{# a comment #}|{#- trimmed -#}  |
{{ raise_exception('own text: ' ~ n) }}
{{ strftime_now('%d %b %Y') }}|{{ strftime_now('%Y-%m-%d %H:%M:%S %A %B %j %y %p %I %a %%') }}
{% generation %}inside{{ n }}{% endgeneration %}
{{ {'a': {'b': 1}}.a.b }}|{{ {'items': 5}['items'] }}|{{ ([1, 2] | first) + 1 }}|{{ (d.a).k | length }}
{{ -n }}|{{ +n }}|{{ - -n }}|{{ -x }}|{{ not not n }}
{{ -s }}
{{ s % 2 }}
{{ 9223372036854775807 }}|{{ -9223372036854775807 }}
{{ 'é' | upper }}|{{ 'ÀÉ' | lower }}|{{ 'ab' < 'ab' }}|{{ 'B' < 'a' }}
{{ {1: 2}[1] if f else 'skip' }}
{{ "don't (x)y" | title }}|{{ "don't (x)y".title() }}|{{ 'a-b c_d [e <f {g' | title }}|{{ 'HELLO wORLD' | title }}|{{ '1st 2ND' | title }}|{{ '1st x2y'.title() }}|{{ "o'neil a’b".title() }}
{{ 'ß' | upper }}|{{ 'ß'.upper() }}|{{ 'ß' | title }}|{{ 'ß'.title() }}|{{ 'ß' | capitalize }}|{{ 'ﬁx'.capitalize() }}|{{ 'ǆ'.title() }}|{{ 'ǆ' | title }}|{{ 'İ' | lower }}
{{ 'ΑΣ' | lower }}|{{ "ΑΣ' Σ ΑΣΑ Α'Σ. Σ" | lower }}|{{ 'ΑΣ' | title }}|{{ 'ΑΣ'.title() }}|{{ 'ΑΣ'.capitalize() }}|{{ 'ΣΣ' | capitalize }}
{{ cased | upper }}|{{ cased | lower }}|{{ cased.title() }}|{{ cased | title }}
{{ ['a', 'A', 'b', 'B'] | unique | list }}|{{ ['a', 'A'] | unique(true) | list }}|{{ [1, 1.0, true, '1'] | unique | list }}|{{ users | unique(attribute='ok') | map(attribute='name') | list }}|{{ [none, none] | unique | list }}|{{ ['ß', 'SS'] | unique | list }}|{{ 'abca' | unique | join }}|{{ [(1,), (1,)] | unique | list }}
{{ [[1], [1]] | unique | list }}
{{ ['B', 'a'] | min }}|{{ ['B', 'a'] | max }}|{{ ['B', 'a'] | min(case_sensitive=true) }}|{{ users | max(attribute='name') }}|{{ users | min(attribute='name') }}|{{ ['a', 'A'] | max }}|{{ ['A', 'a'] | min }}
{{ 'a\u000bb\u000cc\u001cd\u001de\u001ef\u0085g\u2028h\u2029i\u001fj'.splitlines() }}|{{ 'a\nb\r\nc\rd'.splitlines(true) }}|{{ '\n'.splitlines() }}|{{ ''.splitlines() }}|{{ '\n\r\n\r'.splitlines(keepends=true) }}
{{ 'a\u2028c' | indent }}|{{ 'a\r\nb\u000bc' | indent(1) }}|{{ 'a\n' | indent(2) }}|{{ 'a\n\n' | indent(2, true) }}|{{ '' | indent(2, true) }}|{{ '\na' | indent(2, true) }}|{{ '\na\n\nb' | indent(2, false, true) }}
{{ ['\u3000', '\u00a0', '\u200b', '\u0085', '\u00ad', '\u2028', '\ue000', '\U0001f600', '\U000e0001', '\u0378', 'e\u0301', '\ufeff', '\ufffd'] }}
{{ '٣'.isdigit() }}|{{ '²'.isdigit() }}|{{ 'Ⅷ'.isdigit() }}|{{ '½'.isdigit() }}|{{ ''.isdigit() }}|{{ '१२३'.isdigit() }}|{{ '①'.isdigit() }}|{{ '1२a'.isdigit() }}
{{ '1_0' | int }}|{{ '+5' | int }}|{{ '-5' | int }}|{{ ' 7 ' | int }}|{{ '٣𝟘' | int }}|{{ '1__0' | int }}|{{ '_1' | int }}|{{ '1_' | int }}|{{ '0x1f' | int }}|{{ '1e2' | int }}|{{ '+-1' | int }}|{{ '²' | int(9) }}|{{ '' | int(9) }}|{{ nil | int(9) }}|{{ words | int(9) }}|{{ true | int }}|{{ 'inf' | int(9) }}|{{ 'nan' | int(9) }}|{{ '-9.99' | int }}|{{ '\u30001\u2003' | int }}
{{ '1_0.5' | float }}|{{ '+1.5' | float }}|{{ 'inf' | float }}|{{ '-Infinity' | float }}|{{ 'nan' | float }}|{{ 'nan(1)' | float }}|{{ '.5' | float }}|{{ '5.' | float }}|{{ '1e5' | float }}|{{ '0x10' | float }}|{{ '1e999' | float }}|{{ '-1e-999' | float }}|{{ '1_e5' | float }}|{{ nil | float }}|{{ 'x' | float('d') }}
{{ missing | int }}
{{ missing | float }}
{{ (1e300 * 1e10) | tojson }}|{{ [-1e300 * 1e10, 1e300 * 1e10 - 1e300 * 1e10] | tojson }}|{{ 1e300 * 1e10 }}
{{ d.items is defined }}|{{ d.keys is callable }}|{{ d['values'] is defined }}|{{ s.upper is callable }}|{{ words.append is defined }}|{{ d.pop is defined }}|{{ 'x' if d.get else 'y' }}|{{ s['upper'] is callable }}|{{ d.nothing is defined }}
{{ {'items': 5}.items() | list }}|{{ {'items': 5}.items is callable }}|{{ {'get': 5}['get'] }}|{% set up = s.upper %}{{ up() }}|{% set get = d.get %}{{ get('b') }}|{{ [{'items': 1}, {}] | map(attribute='items') | first }}|{{ d['keys']() | list }}
{% for w in words %}{% set turn = loop.cycle %}{{ turn('o', 'e') }}{% endfor %}
{{ d.pop('b') }}
{{ [1, 2] * 2 }}|{{ 2 * [1] }}|{{ [1] * 0 }}|{{ (1, 2) * 2 }}|{{ 2 * 'ab' }}|{{ true * 'x' }}|{{ 'x' * true }}|{{ [0] * -1 }}|{{ 3 * (1,) }}
{{ 'a' * 1.5 }}
{{ [1] * [1] }}
{{ [1] * 'a' }}
{{ 'ǅ' is upper }}|{{ 'ǅ' is lower }}|{{ 'ª' is lower }}|{{ 'A1' is upper }}|{{ '1' is upper }}|{{ 'aß' is lower }}|{{ 'Ⅷ' is upper }}|{{ 'ⅷ' is lower }}|{{ 5 is upper }}|{{ ['a'] is lower }}|{{ nil is upper }}|{{ 'Aǅ' is upper }}
{% for m in users -%}
    {%- if loop.first -%} first {{- m.name -}} {%- endif %}
    {{- '\n' ~ m.name }}
{%- endfor %}
""".strip("\n")

# White space control, where line ends matter: one template each.
BLOCKS = [
    "a\n{% if t %}\nb\n{% endif %}\nc\n", "a\n   {% if t %}   \nb\n   {% endif %}\nc", "a\n   {%+ if t %}\nb\n{% endif +%}\nc",
    "a   {%- if t -%}   \n  b  {%- endif -%}  \n c", "  {{ n }}  \n  {{- n -}}  \n x", "a\r\nb\rc\n\n", "\n{# c #}\n  {# d #}\nx {# e #}\ny{#- f #}\nz",
    "   {% set z = 1 %}   {% set y = 2 %}\n{{ z }}\n", "x {% raw %}\n  {{ a }}\n  {% endraw %}\ny", "  {%- raw -%}  q  {%- endraw -%}  r", "  {% raw %}  q  {% endraw %}\n  r",
    "{% for w in words %}\n    {% if w == 'b' %}\n  B\n    {% else %}\n  {{ w }}\n    {% endif %}\n{% endfor %}\nend", "{% if t %}\n\n{% endif %}", "{{ n }}\n", "{{ n }}\n\n",
    "\t{% if t %}x{% endif %}\t\n", "{% if t %}{# c #}\n{% endif %}\n", "a{% if t %} \n {% endif %}b", "{%if t%}1{%endif%}{{n}}{{-n-}}", "{{ '}}' }}{{ \"{%\" }}{{ {'a': '}'} }}",
    "{{ s }", "{% if t %}", "{% endif %}", "{{ }}", "{{ 1 + }}", "{% for %}", "{% nonsense %}", "{# open", "{{ 'open }}", "{% raw %}open", "{{ (1 }}", "{{ 1) }}", "{% if t %}{% for w in words %}{% endif %}{% endfor %}",
    "{{ a b }}", "{% set %}", "{% break %}", "{{ x | }}", "{{ x is }}", "{{ 'a' ! }}", "{% else %}", "{% macro m( %}{% endmacro %}", "{{ f(a=1, 2) }}",
]


def environment():
    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    class Generation(jinja2.ext.Extension):
        tags = {"generation"}

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return jinja2.nodes.Scope(body).set_lineno(line)

    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: datetime.datetime(2026, 1, 2).strftime(form)
    return env


def split_rows(text):
    rows, row = [], ""
    for line in text.split("\n"):
        row = f"{row}\n{line}" if row else line
        if row.endswith("\\") or row.count("{% for") > row.count("{% endfor") + row.count("{%- endfor"):
            continue
        rows.append(row)
        row = ""
    return rows


def main():
    rows = []
    for template in split_rows(TEMPLATES) + BLOCKS:
        row = {"template": template}
        env = environment()
        try:
            row["text"] = env.from_string(template).render(**VARIABLES)
        except Exception as error:  # whatever Jinja2 or Python raises is an error of the template
            row["error"] = type(error).__name__ + ": " + str(error)
        rows.append(row)
    env = environment()
    public = lambda kind: [name for name in dir(kind) if not name.startswith("_")]
    names = {
        "filters": sorted(env.filters), "tests": sorted(env.tests),
        "tags": sorted(jinja2.parser._statement_keywords | {"raw", "call", "filter", "break", "continue", "generation", "do", "trans"}),
        "functions": sorted(env.globals), "str": public(str), "dict": public(dict), "list": public(list),
    }
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    print(f'{{"meta": {{"jinja2": "{jinja2.__version__}"}},\n"names": {json.dumps(names)},\n"variables": {json.dumps(VARIABLES, ensure_ascii=False)},\n"rows": [\n{lines}\n]}}')


main()
