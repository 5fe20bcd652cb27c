#include "text/tiny_tokenizer_testing.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "io/memory_file_system_testing.h"
#include "text/byte_alphabet.h"
#include "text/text_assets.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

constexpr const char* kTemplate =
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ message['content'] }}{% elif message['role'] == 'user' %}<user>{{ message['content'] }}"
    "{% else %}<bot>{{ message['content'].split('</think>')[-1] }}{{ eos_token }}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<bot><think>\n{% endif %}";

Json AddedTokenJson(int32_t id, std::string_view content, bool special) {
  return Json::MakeObject({{"id", id},
                           {"content", content},
                           {"single_word", false},
                           {"lstrip", false},
                           {"rstrip", false},
                           {"normalized", false},
                           {"special", special}});
}

Json AddedTokens(bool think_special) {
  return Json::Array{AddedTokenJson(kTinyBos, "<bos>", true),
                     AddedTokenJson(kTinyEos, "<eos>", true),
                     AddedTokenJson(kTinyThink, "<think>", think_special),
                     AddedTokenJson(kTinyThinkEnd, "</think>", think_special),
                     AddedTokenJson(kTinyUser, "<user>", false),
                     AddedTokenJson(kTinyBot, "<bot>", false)};
}

Json Vocab() {
  Json vocab = Json::MakeObject();
  for (int byte = 0; byte < 256; ++byte) {
    vocab.as_object().emplace_back(ByteCharacter(static_cast<uint8_t>(byte)),
                                   kTinyFirstByte + byte);
  }
  int32_t id = kTinyFirstPiece;
  for (const std::string& piece : TinyPieces()) {
    std::string name;
    for (const char byte : piece) name += ByteCharacter(static_cast<uint8_t>(byte));
    vocab.as_object().emplace_back(name, id++);
  }
  return vocab;
}

Json Config() {
  return Json::MakeObject({{"add_bos_token", true},
                           {"bos_token", "<bos>"},
                           {"eos_token", "<eos>"},
                           {"chat_template", kTemplate}});
}

}  // namespace

const std::vector<std::string>& TinyPieces() {
  static const std::vector<std::string> pieces = {
      "hello",    " world",   "</th", "ink>\n\n", "<thi", "nk>",  "STOP", " ST", "OP!",
      "\xe4\xbd", "\xa0\xe5", "\n\n", "he",       "ll",   "hell", " w",   "or"};
  return pieces;
}

bool IsTinyControl(int32_t id) {
  return id == kTinyBos || id == kTinyEos || (id >= kTinyThink && id <= kTinyBot);
}

std::vector<int32_t> TinyBytes(std::string_view text) {
  std::vector<int32_t> ids;
  for (const char byte : text) ids.push_back(TinyByte(byte));
  return ids;
}

TokenizerFiles TinyTokenizerFiles(bool think_special) {
  const Json byte_level = Json::MakeObject({{"type", "ByteLevel"},
                                            {"add_prefix_space", false},
                                            {"trim_offsets", true},
                                            {"use_regex", true}});
  const Json merges = Json::Array{"h e", "l l", "he ll", "hell o", "Ġ w", "o r"};
  const Json model = Json::MakeObject({{"type", "BPE"}, {"vocab", Vocab()}, {"merges", merges}});
  const Json tokenizer = Json::MakeObject({{"version", "1.0"},
                                           {"added_tokens", AddedTokens(think_special)},
                                           {"normalizer", Json()},
                                           {"pre_tokenizer", byte_level},
                                           {"post_processor", Json()},
                                           {"decoder", byte_level},
                                           {"model", model}});
  return {tokenizer.Dump(), Config().Dump(), ""};
}

TextAssets TinyTextAssets() {
  const TokenizerFiles tokenizer = TinyTokenizerFiles();
  MemoryFileSystem files;
  files.Put("model/tokenizer.json", tokenizer.tokenizer_json);
  files.Put("model/tokenizer_config.json", tokenizer.tokenizer_config);
  return LoadTextAssets(files, "model", "").value();
}

Tokenizer ParseOrDie(const TokenizerFiles& files) {
  Result<Tokenizer> tokenizer = Tokenizer::Parse(files, "");
  if (!tokenizer.ok()) CheckFailed(tokenizer.error().ToString().c_str(), __FILE__, __LINE__);
  return std::move(tokenizer).value();
}

}  // namespace fathom
