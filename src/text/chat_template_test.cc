#include "text/chat_template.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/golden_testing.h"
#include "text/marked_text.h"

namespace fathom {
namespace {

Result<std::vector<TextSpan>> Render(std::string_view text, const ChatTemplate::Input& input = {}) {
  Result<ChatTemplate> parsed = ChatTemplate::Parse({std::string(text), "chat_template"});
  if (!parsed.ok()) return parsed.error();
  return parsed->Render(input);
}

ChatTemplate::Input WithMessage(Json message) {
  ChatTemplate::Input input;
  input.messages = Json::Array{std::move(message)};
  return input;
}

// "template[message]template": what came out of a message in brackets.
std::string Marked(std::string_view text, Json message) {
  const Result<std::vector<TextSpan>> spans = Render(text, WithMessage(std::move(message)));
  if (!spans.ok()) return spans.error().ToString();
  std::string out;
  for (const TextSpan& span : *spans) {
    out += span.from_message ? "[" + span.text + "]" : span.text;
  }
  return out;
}

// Small templates against what Jinja2 makes of them.
TEST(ChatTemplate, RendersAsJinja2Does) {
  const Json vectors = ReadVectors("jinja_vectors.json");
  ChatTemplate::Input input;
  input.messages = Json::MakeArray();
  input.extra = *vectors.Find("variables");
  input.date = "2026-01-02";
  ASSERT_GT(vectors.Find("rows")->as_array().size(), 140U);
  for (const Json& row : vectors.Find("rows")->as_array()) {
    const std::string& text = row.Find("template")->as_string();
    const Result<std::vector<TextSpan>> spans = Render(text, input);
    if (const Json* error = row.Find("error")) {
      EXPECT_FALSE(spans.ok()) << text << "\nhas to fail: " << error->as_string() << "\nbut gives "
                               << JoinSpans(*spans);
      continue;
    }
    ASSERT_TRUE(spans.ok()) << text << "\n" << spans.error().ToString();
    EXPECT_EQ(JoinSpans(*spans), row.Find("text")->as_string()) << text;
  }
}

TEST(ChatTemplate, MarksWhatCameOutOfMessages) {
  struct Row {
    const char* text;
    const char* expected;
  };
  const Json message = Json::MakeObject(
      {{"role", "user"}, {"content", " a-b "}, {"n", 7}, {"list", Json::Array{"x", 1}}});
  const Row rows[] = {
      {"<{{ messages[0].content }}>", "<[ a-b ]>"},
      {"{{ '<' + messages[0]['role'] + '>' }}", "<[user]>"},
      {"{{ '<' ~ messages[0].content ~ 1 }}", "<[ a-b ]1"},
      {"{{ messages[0].content | trim }}.", "[a-b]."},
      {"{{ messages[0].content.strip() ~ '!' }}", "[a-b]!"},
      {"{{ ('(' ~ messages[0].content ~ ')')[1:4] }}", "[ a-]"},
      {"{{ ('(' ~ messages[0].content ~ ')')[::-1] }}", ")[ b-a ]("},
      {"{{ (messages[0].content ~ '-c').split('-') | join('+') }}", "[ a]+[b ]+c"},
      {"{{ messages[0].content.replace('-', '=') }}", "[ a]=[b ]"},
      {"{{ 'x-y'.replace('-', messages[0].role) }}", "x[user]y"},
      {"{{ (messages[0].content ~ 'z') | upper }}", "[ A-B ]Z"},
      {"{{ messages[0].n }}{{ messages[0].n + 1 }}", "[7]8"},
      {"{{ messages[0].list }}", "[['x', 1]]"},
      {"{{ messages[0].list | tojson }}", "[[\"x\", 1]]"},
      {"{{ {'k': messages[0].role} | tojson }}", "{\"k\": [\"user\"]}"},
      {"{{ {'k': messages[0].role} }}", "{'k': ['user']}"},
      {"{% for k in messages[0] %}{{ k }},{% endfor %}", "[role],[content],[n],[list],"},
      {"{% for k, v in messages[0].items() %}{{ k }}={{ v }};{% endfor %}",
       "[role]=[user];[content]=[ a-b ];[n]=[7];[list]=[['x', 1]];"},
      {"{% for c in messages[0].role %}{{ c }}.{% endfor %}", "[u].[s].[e].[r]."},
      {"{% set x %}<{{ messages[0].role }}>{% endset %}{{ x }}", "<[user]>"},
      {"{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(messages[0].role) | indent }}", "<[user]>"},
      {"{% set ns = namespace(t='') %}{% set ns.t = ns.t + messages[0].role + '\\n' %}{{ ns.t }}",
       "[user]\n"},
      {"{{ messages[0].role * 2 }}", "[useruser]"},
      {"{{ messages[0].missing | default('none') }}", "none"},
      {"{{ messages[0].content | length }}", "5"},
  };
  for (const Row& row : rows) EXPECT_EQ(Marked(row.text, message), row.expected) << row.text;
}

TEST(ChatTemplate, MarksToolsAndExtraVariables) {
  ChatTemplate::Input input;
  input.messages = Json::MakeArray();
  input.tools = Json::Array{Json::MakeObject({{"name", "f"}})};
  input.extra.Set("note", "n");
  input.special_tokens.Set("bos_token", "<s>");
  const auto spans = Render("{{ bos_token }}{{ tools[0] | tojson }}|{{ note }}", input);
  ASSERT_TRUE(spans.ok());
  ASSERT_EQ(spans->size(), 4U);
  EXPECT_EQ((*spans)[0].text, "<s>");
  EXPECT_FALSE((*spans)[0].from_message);
  EXPECT_EQ((*spans)[1].text, "{\"name\": \"f\"}");
  EXPECT_TRUE((*spans)[1].from_message);
  EXPECT_EQ((*spans)[3].text, "n");
  EXPECT_TRUE((*spans)[3].from_message);
}

TEST(ChatTemplate, SaysWhatItCannotDoAndWhere) {
  struct Row {
    const char* text;
    const char* what;
    const char* where;
  };
  const Row rows[] = {
      {"{% include 'x' %}", "tag \"include\" is not supported", "line 1"},
      {"a\n{% call f() %}", "tag \"call\" is not supported", "line 2"},
      {"\n\n{{ x | batch(3) }}", "filter \"batch\" is not supported", "line 3"},
      {"{{ x is\n filter }}", "test \"filter\" is not supported", "line 2"},
      {"{% for x in y recursive %}", "\"recursive\" is not supported", "line 1"},
      {"{{ f(*x) }}", "arguments with * or ** are not supported", "line 1"},
      {"{% if x %}\n{% for y in x %}\n", "\"for\" without its \"endfor\"", "line 2"},
      {"{% endfor %}", "\"endfor\" without its beginning", "line 1"},
      {"{{ 1 2 }}", "expected \"}}\", found \"2\"", "line 1"},
      {"{{ a\n}", "\"}\" closes no \"{\"", "line 2"},
      {"{{ 'a", "a string without its end", "line 1"},
      {"{# a", "comment without its end, #}", "line 1"},
      {"{% raw %}", "raw block without its endraw", "line 1"},
      {"{{ 'x", "a string without its end", "line 1"},
      {"{{ x", "a tag without its end, }}", "line 1"},
      {"{{ '\\N{DASH}' }}", "\"\\N\" in a string is not supported", "line 1"},
      {"{{ '\\uD800' }}", "\"\\D800\" in a string is not a character", "line 1"},
      {"{{ 99999999999999999999 }}", "number 99999999999999999999 is too large", "line 1"},
      {"{{ \u00e9 }}", "unexpected character \"\u00e9\"", "line 1"},
      {"{% break %}", "break or continue outside of a for", "line 1"},
      {"{{ f(a=1, 2) }}", "an argument without a name after one with a name", "line 1"},
      {"\n{{ nothing + 'a' }}", "'nothing' is undefined", "line 2"},
      {"{{ messages.x.y }}", "list has no member 'x'", "line 1"},
      {"\n{{ nothing('a') }}", "'nothing' is undefined", "line 2"},
      {"{{ 'a' + 1 }}", "string + integer is not supported", "line 1"},
      {"{{ messages.append(1) }}", "method \"append\" of list is not supported", "line 1"},
      {"{{ 'a'.zfill(1) }}", "method \"zfill\" of string is not supported", "line 1"},
      {"{{ {'a': 1}.items }}",
       "method \"items\" of dict cannot be written: its call, (), is missing", "line 1"},
      {"\n{{ 'a'.isspace is defined }}", "method \"isspace\" of string is not supported", "line 2"},
      {"{{ {}.copy() }}", "method \"copy\" of dict is not supported", "line 1"},
      {"{{ (1).real }}", "method \"real\" of integer is not supported", "line 1"},
      {"{{ 'a'.__class__ }}", "attribute \"__class__\" of string is not supported", "line 1"},
      {"{% for x in [1] %}{{ loop.changed(x) }}{% endfor %}",
       "attribute \"changed\" of loop is not supported", "line 1"},
      {"{% macro m() %}{% endmacro %}{{ m.name }}", "attribute \"name\" of macro is not supported",
       "line 1"},
      {"{{ '9223372036854775808' | int }}", "int: 9223372036854775808 is outside of 64 bits",
       "line 1"},
      {"{{ '1e19' | int }}", "int: 1e+19 is outside of 64 bits", "line 1"},
      {"{{ '1f' | int(0, 16) }}", "int takes at most 1 arguments, found 2", "line 1"},
      {"{{ [{}] | unique }}", "unique cannot tell a dict from another", "line 1"},
      {"{{ 'a' | trim(1, 2) }}", "trim takes at most 1 arguments, found 2", "line 1"},
      {"{{ 'a' | trim(set='b') }}", "trim has no argument \"set\"", "line 1"},
      {"{{ 'a'.split('b', sep='c') }}", "split is twice given the argument \"sep\"", "line 1"},
      {"{{ 'a' | replace('b') }}", "replace needs its argument \"new\"", "line 1"},
      {"{{ 'a'.startswith(1) }}", "expected a string argument, found integer", "line 1"},
      {"{{ 'a'.split('b', 'c') }}", "expected an integer argument, found string", "line 1"},
      {"{{ raise_exception('own') }}", "own", "line 1"},
      {"{% if true %}\n{{ raise_exception('own') }}{% endif %}", "own", "line 2"},
      {"{{ 5 // 0 }}", "division by zero", "line 1"},
      {"{{ 9223372036854775807 + 1 }}", "9223372036854775807 + 1 is outside of 64 bits", "line 1"},
      {"{% set x.y = 1 %}", "\"x\" is not a namespace: its attributes cannot be set", "line 1"},
      {"{{ [namespace()] }}", "a namespace cannot be put into a list", "line 1"},
      {"{{ namespace() }}", "a namespace cannot be written", "line 1"},
      {"{{ range | tojson }}", "a function cannot be written as JSON", "line 1"},
      {"{% for x in 5 %}{% endfor %}", "integer is not iterable", "line 1"},
      {"{% set a, b = [1] %}", "1 values for 2 names", "line 1"},
      {"{{ 1 < 'a' }}", "cannot order integer and string", "line 1"},
      {"{{ 'x' in 5 }}", "'in' does not work on integer", "line 1"},
      {"{{ 5 | length }}", "integer has no length", "line 1"},
      {"{{ {1: 2} }}", "a dict's keys are strings, not integer", "line 1"},
      {"{{ strftime_now('%Q') }}", "strftime_now: a directive of \"%Q\" is not supported",
       "line 1"},
      {"{{ [1] | map('nonsense') | list }}", "unknown filter \"nonsense\"", "line 1"},
      {"{{ [1] | select('nonsense') | list }}", "unknown test \"nonsense\"", "line 1"},
  };
  ChatTemplate::Input input;
  input.messages = Json::MakeArray();
  input.date = "2026-01-02";
  for (const Row& row : rows) {
    const Result<std::vector<TextSpan>> result = Render(row.text, input);
    ASSERT_FALSE(result.ok()) << row.text;
    EXPECT_EQ(result.error().what, row.what) << row.text;
    EXPECT_EQ(result.error().where, std::string("chat_template: ") + row.where) << row.text;
  }
}

TEST(ChatTemplate, WhatItRaisesIsAboutTheMessagesAndTheRestAboutItself) {
  EXPECT_EQ(Render("{{ raise_exception('roles must alternate') }}").error().kind,
            ErrorKind::kBadInput);
  EXPECT_EQ(Render("{{ 5 // 0 }}").error().kind, ErrorKind::kBadInput);
  EXPECT_EQ(Render("{% nonsense %}").error().kind, ErrorKind::kBadInput);  // it cannot be read
  EXPECT_EQ(Render("{{ raise_exception('roles must alternate') }}").error().fix,
            "change the messages as the chat template asks, or give another template with "
            "--chat-template FILE");
  EXPECT_EQ(Render("{{ 5 // 0 }}").error().fix,
            "correct the template, or give another with --chat-template FILE");
}

// As transformers: what is not set is undefined and not "".
TEST(ChatTemplate, SpecialTokensAreDefinedOnlyWhereTheyAreSet) {
  ChatTemplate::Input input;
  input.special_tokens = Json::MakeObject(
      {{"pad_token", "<p>"}, {"additional_special_tokens", Json::Array{"<a>", "<b>"}}});
  const auto spans = Render(
      "{{ bos_token is defined }}{{ pad_token }}{{ additional_special_tokens | join }}", input);
  ASSERT_TRUE(spans.ok());
  EXPECT_EQ(JoinSpans(*spans), "False<p><a><b>");
  EXPECT_EQ(spans->size(), 1U) << "they are the template's, not a message's";
  EXPECT_EQ(Render("{{ bos_token + 'a' }}", input).error().what, "'bos_token' is undefined");
}

TEST(ChatTemplate, DateIsNeededOnlyWhereItIsUsed) {
  EXPECT_TRUE(Render("{{ 1 }}").ok());
  const auto result = Render("{{ strftime_now('%Y') }}");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what, "strftime_now has no date (\"\" is not YYYY-MM-DD)");
}

// Each would otherwise take for ever, fill the memory or overflow the stack.
TEST(ChatTemplate, HostileTemplatesEndInAnError) {
  const auto repeated = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  const std::pair<std::string, const char*> rows[] = {
      {"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
       "the template takes more than 5000000 steps"},
      {"{% set ns = namespace(s='xx') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}"
       "{% endfor %}",
       "the template makes more than 128.0 MiB of text"},
      {"{{ 'x' * 1000000000000 }}", "the template makes more than 128.0 MiB of text"},
      {"{{ 'ab' * 9223372036854775807 }}", "the template makes more than 128.0 MiB of text"},
      {"{% set x = 'a' * 9999 %}{{ x.replace('a', x).replace('a', x) }}",
       "the template makes more than 128.0 MiB of text"},
      {"{% set x = 'a' * 9999 %}{% for i in range(99999) %}{{ x | trim | length }}{% endfor %}",
       "the template makes more than 128.0 MiB of text"},
      {"{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}"
       "{% endfor %}{{ ns.l }}",
       "the template takes more than 5000000 steps"},
      {"{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}"
       "{% endfor %}{{ ns.l == ns.l[:] }}",
       "the template takes more than 5000000 steps"},
      {"{% set ns = namespace(l=[1]) %}{% for i in range(999) %}{% set ns.l = [ns.l] %}{% endfor "
       "%}",
       "values nested deeper than 300 levels"},
      {"{% set ns = namespace(l=[1]) %}{% for i in range(30) %}{% set ns.l = ns.l + ns.l %}"
       "{% endfor %}",
       "the template takes more than 5000000 steps"},
      {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
       "evaluation nested deeper than 400 levels"},
      {"{{ " + repeated("(", 9999) + "1" + repeated(")", 9999) + " }}",
       "expressions nested deeper than 100 levels"},
      {"{{ " + repeated("[", 9999) + repeated("]", 9999) + " }}",
       "expressions nested deeper than 100 levels"},
      {"{{ " + repeated("not ", 9999) + "1 }}", "expressions nested deeper than 100 levels"},
      {"{{ " + repeated("- ", 9999) + "1 }}", "expressions nested deeper than 100 levels"},
      {"{{ 1" + repeated("+1", 9999) + " }}", "expressions nested deeper than 100 levels"},
      {"{{ x" + repeated(".a", 9999) + " }}", "expressions nested deeper than 100 levels"},
      {"{{ x" + repeated("|trim", 9999) + " }}", "expressions nested deeper than 100 levels"},
      {repeated("{% if x %}", 9999), "blocks nested deeper than 50 levels"},
      {"{{ range(100001) }}", "range has more than 100000 numbers"},
      {"{{ 2 ** 99999999999 }}", "2 ** 99999999999 is outside of 64 bits"},
      {"{{ [1] * 9223372036854775807 }}", "the template takes more than 5000000 steps"},
      {"{{ 'a' | indent(99999999999) }}", "the template makes more than 128.0 MiB of text"},
  };
  for (const auto& [text, what] : rows) {
    const Result<std::vector<TextSpan>> result = Render(text);
    ASSERT_FALSE(result.ok()) << text.substr(0, 99);
    EXPECT_EQ(result.error().what, what) << text.substr(0, 99);
  }
}

TEST(ChatTemplate, ManyMessagesAreFine) {
  ChatTemplate::Input input;
  input.messages = Json::MakeArray();
  for (int i = 0; i < 20000; ++i) {
    input.messages.Append(Json::MakeObject({{"role", "user"}, {"content", "text of a message"}}));
  }
  input.special_tokens.Set("bos_token", "<s>");
  const std::string folder = GoldenTokenizerFolder() + "/templates/";
  for (const char* name :
       {"deepseek-r1.jinja", "deepseek-v3.1.jinja", "qwen2.5-7b-instruct.jinja"}) {
    const auto result = Render(ReadTestFile(folder + name), input);
    EXPECT_TRUE(result.ok()) << name << result.error().ToString();
  }
}

}  // namespace
}  // namespace fathom
