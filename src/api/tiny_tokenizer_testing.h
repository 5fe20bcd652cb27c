#ifndef FATHOM_API_TINY_TOKENIZER_TESTING_H_
#define FATHOM_API_TINY_TOKENIZER_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/tokenizer.h"

namespace fathom {

// A tokenizer for tests: every byte is a token, and there are control tokens and some longer ones
// that only a model would write.
//   0 BOS, 1 EOS (special)    2 + b: byte b    258 <think>, 259 </think>, 260 <user>, 261 <bot>
//   262 ... kTinyPieces
inline constexpr int32_t kTinyBos = 0;
inline constexpr int32_t kTinyEos = 1;
inline constexpr int32_t kTinyFirstByte = 2;
inline constexpr int32_t kTinyThink = 258;
inline constexpr int32_t kTinyThinkEnd = 259;
inline constexpr int32_t kTinyUser = 260;
inline constexpr int32_t kTinyBot = 261;
inline constexpr int32_t kTinyFirstPiece = 262;
inline constexpr int32_t kTinyVocab = 280;  // for config.json; the last ids stand for nothing

// Tokens that end and begin in the middle of things: of characters, of tags, of stop strings.
inline const std::vector<std::string>& TinyPieces() {
  static const std::vector<std::string> pieces = {"hello", " world",   "</th",     "ink>\n\n",
                                                  "<thi",  "nk>",      "STOP",     " ST",
                                                  "OP!",   "\xe4\xbd", "\xa0\xe5", "\n\n"};
  return pieces;
}

inline int32_t TinyByte(char byte) { return kTinyFirstByte + static_cast<unsigned char>(byte); }

// One id a byte.
inline std::vector<int32_t> TinyBytes(std::string_view text) {
  std::vector<int32_t> ids;
  for (const char byte : text) ids.push_back(TinyByte(byte));
  return ids;
}

// The byte as byte-level BPE writes it: printable ones stand for themselves, the others for U+0100
// and up (GPT-2's table).
inline std::string TinyByteName(unsigned byte) {
  const auto printable = [](unsigned b) {
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  };
  unsigned code = byte;
  if (!printable(byte)) {
    code = 256;
    for (unsigned b = 0; b < byte; ++b) code += printable(b) ? 0 : 1;
  }
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

inline Json TinyAddedToken(int32_t id, std::string_view content, bool special) {
  return Json::MakeObject({{"id", id},
                           {"content", content},
                           {"single_word", false},
                           {"lstrip", false},
                           {"rstrip", false},
                           {"normalized", false},
                           {"special", special}});
}

// think_special: the tags are special tokens, as some checkpoints have them.
inline TokenizerFiles TinyTokenizerFiles(bool think_special = false) {
  Json vocab = Json::MakeObject();
  for (unsigned byte = 0; byte < 256; ++byte) {
    vocab.as_object().emplace_back(TinyByteName(byte), kTinyFirstByte + static_cast<int>(byte));
  }
  int32_t id = kTinyFirstPiece;
  for (const std::string& piece : TinyPieces()) {
    std::string name;
    for (const char byte : piece) name += TinyByteName(static_cast<unsigned char>(byte));
    vocab.as_object().emplace_back(name, id++);
  }
  Json added = Json::MakeArray();
  added.Append(TinyAddedToken(kTinyBos, "<bos>", true));
  added.Append(TinyAddedToken(kTinyEos, "<eos>", true));
  added.Append(TinyAddedToken(kTinyThink, "<think>", think_special));
  added.Append(TinyAddedToken(kTinyThinkEnd, "</think>", think_special));
  added.Append(TinyAddedToken(kTinyUser, "<user>", false));
  added.Append(TinyAddedToken(kTinyBot, "<bot>", false));
  const Json byte_level = Json::MakeObject({{"type", "ByteLevel"},
                                            {"add_prefix_space", false},
                                            {"trim_offsets", true},
                                            {"use_regex", false}});
  const Json model =
      Json::MakeObject({{"type", "BPE"}, {"vocab", vocab}, {"merges", Json::MakeArray()}});
  const Json tokenizer = Json::MakeObject({{"version", "1.0"},
                                           {"added_tokens", added},
                                           {"normalizer", Json()},
                                           {"pre_tokenizer", byte_level},
                                           {"post_processor", Json()},
                                           {"decoder", byte_level},
                                           {"model", model}});
  const Json config = Json::MakeObject(
      {{"add_bos_token", true},
       {"bos_token", "<bos>"},
       {"eos_token", "<eos>"},
       {"chat_template",
        "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
        "{{ message['content'] }}{% elif message['role'] == 'user' %}<user>{{ message['content'] }}"
        "{% else %}<bot>{{ message['content'].split('</think>')[-1] }}{{ eos_token }}{% endif %}"
        "{% endfor %}{% if add_generation_prompt %}<bot><think>\n{% endif %}"}});
  return {tokenizer.Dump(), config.Dump(), ""};
}

}  // namespace fathom

#endif  // FATHOM_API_TINY_TOKENIZER_TESTING_H_
