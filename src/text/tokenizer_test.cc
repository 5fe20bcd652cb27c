#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "io/memory_file_system_testing.h"
#include "text/detokenizer.h"
#include "text/marked_text.h"
#include "text/tiny_tokenizer_testing.h"

namespace fathom {
namespace {

using Ids = std::vector<int32_t>;

// The tiny tokenizer with its two files changed by `edit`.
using Edit = std::function<void(Json& tokenizer, Json& config)>;
TokenizerFiles Edited(const Edit& edit) {
  TokenizerFiles files = TinyTokenizerFiles();
  Json tokenizer = ParseJson(files.tokenizer_json, "").value();
  Json config = ParseJson(files.tokenizer_config, "").value();
  edit(tokenizer, config);
  return {tokenizer.Dump(), config.Dump(), ""};
}
// The member of an object, to be changed.
Json& At(Json& object, std::string_view key) {
  for (auto& [name, value] : object.as_object()) {
    if (name == key) return value;
  }
  ADD_FAILURE() << "no member " << key;
  return object;
}

TEST(Tokenizer, EncodesWithMergesAndAddedTokens) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  EXPECT_EQ(tokenizer.Encode("hello world", true).value(),
            Ids({kTinyHello, kTinySpaceW, kTinyOr, TinyByte('l'), TinyByte('d')}));
  EXPECT_EQ(tokenizer.Encode("<bos>he<think>", true).value(), Ids({kTinyBos, kTinyHe, kTinyThink}));
  EXPECT_EQ(tokenizer.Encode("<think>", false).value(), TinyBytes("<think>"));
  EXPECT_EQ(tokenizer.Encode("", true).value(), Ids());
}

TEST(Tokenizer, DecodesAndSkipsSpecialTokens) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  const Ids ids = {kTinyBos, kTinyHello, kTinyThink, kTinySpaceW, kTinyEos};
  EXPECT_EQ(tokenizer.Decode(ids, false), "<bos>hello<think> w<eos>");
  EXPECT_EQ(tokenizer.Decode(ids, true), "hello<think> w");
  EXPECT_EQ(tokenizer.Decode(Ids{-1, kTinyHello, 100000}, false), "hello");
  EXPECT_EQ(tokenizer.DecodeBytes(TinyBytes("\xE4\xB8"), false), "\xE4\xB8");
  EXPECT_EQ(tokenizer.Decode(TinyBytes("\xE4\xB8"), false), "\uFFFD");
}

TEST(Tokenizer, KnowsItsTokens) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  EXPECT_EQ(tokenizer.vocab_size(), 279);
  EXPECT_EQ(tokenizer.TokenId("<think>"), kTinyThink);
  EXPECT_EQ(tokenizer.TokenId("hello"), kTinyHello);
  EXPECT_EQ(tokenizer.TokenId("\u0120w"), kTinySpaceW);
  EXPECT_EQ(tokenizer.TokenId("nothing"), std::nullopt);
  EXPECT_EQ(tokenizer.bos_id(), kTinyBos);
  EXPECT_EQ(tokenizer.eos_id(), kTinyEos);
  EXPECT_TRUE(tokenizer.add_bos());
  EXPECT_FALSE(ParseOrDie({TinyTokenizerFiles().tokenizer_json, "", ""}).chat_template().ok());
}

// "</think>" is the longest.
TEST(Tokenizer, KnowsHowManyBytesItsTokensHoldAtMost) {
  EXPECT_EQ(ParseOrDie(TinyTokenizerFiles()).longest_token_bytes(), 8);
  const auto with = [](const Json& token) {
    return ParseOrDie(Edited([&](Json& tokenizer, Json& /*config*/) {
             At(tokenizer, "added_tokens").Append(token);
           }))
        .longest_token_bytes();
  };
  EXPECT_EQ(with(Json::MakeObject({{"id", 300}, {"content", "123456789"}})), 9);
  EXPECT_EQ(with(Json::MakeObject({{"id", 300}, {"content", "@@"}, {"lstrip", true}})),
            std::nullopt);
  EXPECT_EQ(with(Json::MakeObject({{"id", 300}, {"content", "@@"}, {"rstrip", true}})),
            std::nullopt);
  EXPECT_EQ(ParseOrDie(Edited([](Json& tokenizer, Json& /*config*/) {
              tokenizer.Set("normalizer", Json::MakeObject({{"type", "NFC"}}));
            })).longest_token_bytes(),
            std::nullopt);
}

TEST(Tokenizer, EveryByteStringComesBack) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    while (bytes.size() < 64) bytes += static_cast<char>(random() % 256);
    EXPECT_EQ(tokenizer.DecodeBytes(tokenizer.Encode(bytes, true).value(), false), bytes);
  }
}

TEST(Tokenizer, SpansMergeAcrossTheirBorders) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  const std::vector<TextSpan> spans = {
      {"<bo", false}, {"s>he", false}, {"llo w", true}, {"orld<think>", false}};
  EXPECT_EQ(tokenizer.Encode(spans).value(),
            tokenizer.Encode("<bos>hello world<think>", true).value());
  const std::vector<TextSpan> straddling = {{"<thi", false}, {"nk>", true}};
  EXPECT_EQ(tokenizer.Encode(straddling).value(), tokenizer.Encode("<think>", false).value());
}

TEST(Tokenizer, NormalizedTokensAreSearchedInNormalizedText) {
  const auto with_token = [](bool normalized) {
    return ParseOrDie(Edited([normalized](Json& tokenizer, Json& /*config*/) {
      tokenizer.Set("normalizer", Json::MakeObject({{"type", "NFC"}}));
      At(tokenizer, "added_tokens")
          .Append(
              Json::MakeObject({{"id", 300}, {"content", "<\u00e9>"}, {"normalized", normalized}}));
    }));
  };
  EXPECT_EQ(with_token(true).Encode("<e\u0301>", true).value(), Ids({300}));
  EXPECT_EQ(with_token(false).Encode("<e\u0301>", true).value(), TinyBytes("<\u00e9>"));
  EXPECT_EQ(with_token(false).Encode("<\u00e9>", true).value(), Ids({300}));
  EXPECT_EQ(with_token(true).Decode(Ids{300}, false), "<\u00e9>") << "its text, not the byte E9";
  // The accent is a message's, so the composed letter is not the template's alone.
  const std::vector<TextSpan> spans = {{"<e", false}, {"\u0301", true}, {">", false}};
  EXPECT_EQ(with_token(true).Encode(spans).value(), TinyBytes("<\u00e9>"));
}

TEST(Tokenizer, IgnoreMergesTakesWholeWords) {
  const auto with = [](bool ignore_merges) {
    return ParseOrDie(Edited([ignore_merges](Json& tokenizer, Json& /*config*/) {
      At(At(tokenizer, "model"), "vocab").Set("hex", 300);
      At(tokenizer, "model").Set("ignore_merges", ignore_merges);
    }));
  };
  EXPECT_EQ(with(false).Encode("hex", true).value(), Ids({kTinyHe, TinyByte('x')}));
  EXPECT_EQ(with(true).Encode("hex", true).value(), Ids({300}));
  EXPECT_EQ(with(true).Encode("hexe", true).value(), Ids({kTinyHe, TinyByte('x'), TinyByte('e')}));
}

TEST(Tokenizer, MergesMayBePairs) {
  const Tokenizer tokenizer = ParseOrDie(Edited([](Json& json, Json& /*config*/) {
    At(At(json, "model"), "merges") = Json::Array{Json::Array{"h", "e"}};
  }));
  EXPECT_EQ(tokenizer.Encode("hell", true).value(), Ids({kTinyHe, TinyByte('l'), TinyByte('l')}));
}

TEST(Tokenizer, ConfigFormsOfTokensAndTemplates) {
  const Tokenizer tokenizer = ParseOrDie(Edited([](Json& /*json*/, Json& config) {
    config.Set("bos_token", Json::MakeObject({{"content", "<eos>"}, {"lstrip", false}}));
    config.Set("eos_token", nullptr);
    config.Set("add_bos_token", false);
    config.Set("chat_template",
               Json::Array{Json::MakeObject({{"name", "tool_use"}, {"template", "T"}}),
                           Json::MakeObject({{"name", "default"}, {"template", "D"}})});
    config.Set(
        "added_tokens_decoder",
        Json::MakeObject({{"258", Json::MakeObject({{"content", "<think>"}, {"special", true}})},
                          {"400", Json::MakeObject({{"content", "<more>"}})}}));
  }));
  EXPECT_EQ(tokenizer.bos_id(), kTinyEos);
  EXPECT_EQ(tokenizer.eos_id(), std::nullopt);
  EXPECT_EQ(tokenizer.eos_token(), "");
  EXPECT_FALSE(tokenizer.add_bos());
  EXPECT_EQ(tokenizer.chat_template()->text, "D");
  EXPECT_EQ(tokenizer.chat_template()->source, "tokenizer_config.json: /chat_template/1/template");
  EXPECT_EQ(tokenizer.Encode("<more>", true).value(), Ids({400}));
  EXPECT_EQ(tokenizer.Decode(Ids{kTinyThink}, /*skip_special=*/true), "")
      << "the config's flags win";
}

// Llama-3 says it there and not by add_bos_token.
TEST(Tokenizer, TemplateProcessingAddsBos) {
  const auto edit = [](const char* first) {
    return [first](Json& tokenizer, Json& config) {
      config = Json::MakeObject({{"bos_token", "<bos>"}});
      const Json token = Json::MakeObject({{"SpecialToken", Json::MakeObject({{"id", first}})}});
      tokenizer.Set(
          "post_processor",
          Json::MakeObject(
              {{"type", "Sequence"},
               {"processors", Json::Array{Json::MakeObject({{"type", "TemplateProcessing"},
                                                            {"single", Json::Array{token}}})}}}));
    };
  };
  EXPECT_TRUE(ParseOrDie(Edited(edit("<bos>"))).add_bos());
  EXPECT_FALSE(ParseOrDie(Edited(edit("<eos>"))).add_bos());
}

TEST(Tokenizer, SaysWhatIsWrong) {
  struct Row {
    Edit edit;
    const char* what;
    const char* where;
  };
  const auto model = [](const char* key, const Json& value) -> Edit {
    return [key, value](Json& json, Json& /*config*/) { At(json, "model").Set(key, value); };
  };
  const auto config_is = [](const char* key, const Json& value) -> Edit {
    return [key, value](Json& /*json*/, Json& config) { config.Set(key, value); };
  };
  const auto added = [](const Json& token) -> Edit {
    return [token](Json& json, Json& /*config*/) { At(json, "added_tokens").Append(token); };
  };
  const Row rows[] = {
      {model("type", "Unigram"), "expected \"BPE\", found string \"Unigram\"",
       "m/tokenizer.json: /model/type"},
      {model("byte_fallback", true), "expected false, found bool true",
       "m/tokenizer.json: /model/byte_fallback"},
      {model("end_of_word_suffix", "</w>"), "expected null or \"\", found string \"</w>\"",
       "m/tokenizer.json: /model/end_of_word_suffix"},
      {model("continuing_subword_prefix", "##"), "expected null or \"\", found string \"##\"",
       "m/tokenizer.json: /model/continuing_subword_prefix"},
      {model("dropout", 0.1), "expected null or 0, found number 0.1",
       "m/tokenizer.json: /model/dropout"},
      {model("vocab", Json::MakeObject({{"a", 0}})),
       "the vocabulary has no token \"\u0100\" for byte 0x00", "m/tokenizer.json: /model/vocab"},
      {model("vocab", Json::MakeObject({{"a", -1}})),
       "token \"a\" has id -1, expected 0 to 2097151", "m/tokenizer.json: /model/vocab"},
      {model("vocab", Json::MakeObject({{"a", 0}, {"b", 0}})),
       "id 0 of token \"b\" is already that of another token", "m/tokenizer.json: /model/vocab"},
      {model("vocab", Json::MakeObject({{"a", "x"}})), "expected an integer, found string \"x\"",
       "m/tokenizer.json: /model/vocab/a"},
      {model("merges", Json::Array{"h e", "q z"}), "\"qz\" is not in the vocabulary",
       "m/tokenizer.json: /model/merges/1"},
      {model("merges", Json::Array{"he"}),
       "expected \"left right\" or [\"left\", \"right\"], found string \"he\"",
       "m/tokenizer.json: /model/merges/0"},
      {model("merges", nullptr), "expected an array, found null",
       "m/tokenizer.json: /model/merges"},
      {[](Json& json, Json&) {
         json.Set("decoder", Json::MakeObject({{"type", "Metaspace"}}));
       },
       "expected \"ByteLevel\", found string \"Metaspace\"", "m/tokenizer.json: /decoder/type"},
      {[](Json& json, Json&) { json = Json::MakeObject(); }, "key \"model\" is missing",
       "m/tokenizer.json"},
      {[](Json& json, Json&) { json = Json::MakeArray(); }, "expected an object, found array []",
       "m/tokenizer.json"},
      {added(Json::MakeObject({{"id", 300}, {"content", "<w>"}, {"single_word", true}})),
       "expected false (only that is supported), found bool true",
       "m/tokenizer.json: /added_tokens/6/single_word"},
      {added(Json::MakeObject({{"id", 300}, {"content", ""}})),
       "expected text that is not empty, found string \"\"",
       "m/tokenizer.json: /added_tokens/6/content"},
      {added(Json::MakeObject({{"id", 5}, {"content", "<w>"}})),
       "id 5 of token \"<w>\" is already that of another token", "m/tokenizer.json: /added_tokens"},
      {added(Json::MakeObject({{"id", 300}, {"content", "<think>"}})),
       "token \"<think>\" has the ids 258 and 300", "m/tokenizer.json: /added_tokens"},
      {config_is("bos_token", 5),
       "expected a string or an object with \"content\", found integer 5",
       "m/tokenizer_config.json: /bos_token"},
      {config_is("eos_token", "<none>"), "eos_token \"<none>\" is not a token of tokenizer.json",
       "m/tokenizer_config.json"},
      {config_is("bos_token", nullptr), "add_bos_token is true, but there is no bos_token",
       "m/tokenizer_config.json"},
      {config_is("add_bos_token", "yes"), "expected true or false, found string \"yes\"",
       "m/tokenizer_config.json: /add_bos_token"},
      {config_is("additional_special_tokens", Json::Array{1}),
       "expected a string or an object with \"content\", found integer 1",
       "m/tokenizer_config.json: /additional_special_tokens/0"},
      {config_is("added_tokens_decoder",
                 Json::MakeObject({{"x1", Json::MakeObject({{"content", "<w>"}})}})),
       "key \"x1\" is not a token id", "m/tokenizer_config.json: /added_tokens_decoder"},
      {[](Json&, Json& config) { config = Json::MakeArray(); },
       "expected an object, found array []", "m/tokenizer_config.json"},
  };
  for (const Row& row : rows) {
    const Result<Tokenizer> result = Tokenizer::Parse(Edited(row.edit), "m");
    ASSERT_FALSE(result.ok()) << row.what;
    EXPECT_EQ(result.error().what, row.what);
    EXPECT_EQ(result.error().where, row.where);
    EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
  }
}

TEST(Tokenizer, TheFixNamesTheFilesToFetch) {
  const auto fix = [](const Edit& edit) { return Tokenizer::Parse(Edited(edit), "m").error().fix; };
  EXPECT_EQ(fix([](Json&, Json& config) { config.Set("eos_token", "<none>"); }),
            "tokenizer_config.json and tokenizer.json do not belong together: fetch both again");
  EXPECT_EQ(fix([](Json& json, Json&) {
              At(json, "model").Set("vocab", Json::MakeObject({{"a", -1}}));
            }),
            "the tokenizer's files are damaged or do not belong together: fetch them again");
  EXPECT_EQ(fix([](Json& json, Json&) {
              At(json, "model").Set("vocab", Json::MakeObject({{"a", 0}}));
            }),
            "only byte-level BPE tokenizers are supported: use a checkpoint that has one");
}

// Who needs no template has no use for its error.
TEST(Tokenizer, AChatTemplateThatCannotBeUsedIsAnErrorOfItsOwn) {
  struct Row {
    Json chat_template;
    const char* what;
    const char* where;
  };
  const Row rows[] = {
      {1, "expected a string or an array of named templates, found integer 1",
       "m/tokenizer_config.json: /chat_template"},
      {Json::Array{Json::MakeObject({{"name", "x"}, {"template", "y"}})},
       "none of the chat templates is named \"default\"",
       "m/tokenizer_config.json: /chat_template"},
      {nullptr, "the checkpoint has no chat template", "m/tokenizer_config.json"},
  };
  for (const Row& row : rows) {
    const Result<Tokenizer> tokenizer = Tokenizer::Parse(
        Edited([&](Json&, Json& config) { config.Set("chat_template", row.chat_template); }), "m");
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().ToString();
    ASSERT_FALSE(tokenizer->chat_template().ok());
    EXPECT_EQ(tokenizer->chat_template().error().what, row.what);
    EXPECT_EQ(tokenizer->chat_template().error().where, row.where);
  }
}

TEST(Tokenizer, TemplatesSeeTheSpecialTokensThatAreSet) {
  const Tokenizer tokenizer = ParseOrDie(Edited([](Json&, Json& config) {
    config.Set("bos_token", nullptr);
    config.Set("add_bos_token", false);
    config.Set("pad_token", Json::MakeObject({{"content", "<think>"}}));
    config.Set("additional_special_tokens",
               Json::Array{"<user>", Json::MakeObject({{"content", "<bot>"}})});
  }));
  EXPECT_EQ(tokenizer.special_tokens().Dump(),
            R"({"eos_token":"<eos>","pad_token":"<think>",)"
            R"("additional_special_tokens":["<user>","<bot>"]})");
}

TEST(Tokenizer, OneServesSeveralThreads) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  const std::string text = "<bos>hello world \xFF hello</think>";
  const Ids expected = tokenizer.Encode(text, true).value();
  std::vector<int> equal(4, 0);
  std::vector<std::thread> threads;
  threads.reserve(equal.size());
  for (int& count : equal) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const bool same = tokenizer.Encode(text, true).value() == expected &&
                          tokenizer.DecodeBytes(expected, false) == text;
        count += same ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 200));
}

TEST(Tokenizer, LoadsFromAFolder) {
  const TokenizerFiles tiny = TinyTokenizerFiles();
  MemoryFileSystem files;
  files.Put("/m/tokenizer.json", tiny.tokenizer_json);
  const Result<Tokenizer> bare = Tokenizer::Load(files, "/m");
  ASSERT_TRUE(bare.ok()) << bare.error().ToString();
  EXPECT_EQ(bare->bos_id(), std::nullopt);

  files.Put("/m/tokenizer_config.json", tiny.tokenizer_config);
  files.Put("/m/chat_template.jinja", "{{ messages }}");
  const Result<Tokenizer> whole = Tokenizer::Load(files, "/m");
  ASSERT_TRUE(whole.ok()) << whole.error().ToString();
  EXPECT_EQ(whole->bos_id(), kTinyBos);
  EXPECT_EQ(whole->chat_template()->text, "{{ messages }}");
  EXPECT_EQ(whole->chat_template()->source, "/m/chat_template.jinja");
}

TEST(Tokenizer, LoadNamesTheFile) {
  MemoryFileSystem files;
  files.Put("/m/config.json", "{}");
  const Result<Tokenizer> missing = Tokenizer::Load(files, "/m");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().ToString(),
            "error: there is no tokenizer.json in this folder\n  where: /m\n"
            "  fix: fetch the checkpoint's tokenizer.json and tokenizer_config.json into it\n");
  const Result<Tokenizer> nowhere = Tokenizer::Load(files, "/n");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().ToString(),
            "error: there is no such folder\n  where: /n\n"
            "  fix: name a folder that holds a checkpoint's tokenizer.json\n");
  const Result<Tokenizer> file = Tokenizer::Load(files, "/m/config.json");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(
      file.error().ToString(),
      "error: this is a file, and a folder is wanted\n  where: /m/config.json\n"
      "  fix: name a folder that holds a checkpoint's tokenizer.json; this file lies in /m\n");

  files.Put("/m/tokenizer.json", "{\"model\": ");
  const Result<Tokenizer> cut = Tokenizer::Load(files, "/m");
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().where, "/m/tokenizer.json");
  EXPECT_NE(cut.error().what.find("not valid JSON at line 1"), std::string::npos);
  EXPECT_EQ(cut.error().fix,
            "the file is damaged or was edited: fetch it again, or correct it there");
}

TEST(Detokenizer, NeverCutsACharacter) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  Detokenizer detokenizer(tokenizer, /*skip_special=*/true);
  EXPECT_EQ(detokenizer.Push(kTinyHello), "hello");
  EXPECT_EQ(detokenizer.Push(TinyByte('\xE4')), "");
  EXPECT_EQ(detokenizer.Push(TinyByte('\xB8')), "");
  EXPECT_EQ(detokenizer.Push(kTinyEos), "") << "a special token is skipped";
  EXPECT_EQ(detokenizer.Push(TinyByte('\x96')), "\u4e16");
  EXPECT_EQ(detokenizer.Push(TinyByte('\xF0')), "");
  EXPECT_EQ(detokenizer.Push(TinyByte('a')), "\uFFFDa");
  EXPECT_EQ(detokenizer.Push(TinyByte('\xFF')), "\uFFFD");
  EXPECT_EQ(detokenizer.Push(TinyByte('\xE4')), "");
  EXPECT_EQ(detokenizer.Finish(), "\uFFFD");
  EXPECT_EQ(detokenizer.Finish(), "");
}

TEST(Detokenizer, TogetherTheSameAsAtOnce) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Ids ids;
    while (ids.size() < 40) ids.push_back(static_cast<int32_t>(random() % kTinyVocab));
    Detokenizer detokenizer(tokenizer, false);
    std::string text;
    for (const int32_t id : ids) text += detokenizer.Push(id);
    EXPECT_EQ(text + detokenizer.Finish(), tokenizer.Decode(ids, false));
  }
}

}  // namespace
}  // namespace fathom
