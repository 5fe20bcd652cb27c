#ifndef FATHOM_TEXT_TINY_TOKENIZER_TESTING_H_
#define FATHOM_TEXT_TINY_TOKENIZER_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_assets.h"
#include "text/tokenizer.h"

namespace fathom {

// A tokenizer for tests: every byte is a token, a few merges make words of English, and there are
// control tokens and some longer ones that only a model would write.
//   0 <bos>, 1 <eos> (special)    2 + b: byte b    258 <think>, 259 </think>, 260 <user>, 261 <bot>
//   262 ... TinyPieces(); those from kTinyHe on, and "hello", come out of merges
inline constexpr int32_t kTinyBos = 0;
inline constexpr int32_t kTinyEos = 1;
inline constexpr int32_t kTinyFirstByte = 2;
inline constexpr int32_t kTinyThink = 258;
inline constexpr int32_t kTinyThinkEnd = 259;
inline constexpr int32_t kTinyUser = 260;
inline constexpr int32_t kTinyBot = 261;
inline constexpr int32_t kTinyFirstPiece = 262;
inline constexpr int32_t kTinyHello = 262;
inline constexpr int32_t kTinyHe = 274;
inline constexpr int32_t kTinySpaceW = 277;
inline constexpr int32_t kTinyOr = 278;
inline constexpr int32_t kTinyVocab = 280;  // for config.json; the last id stands for nothing

// Tokens that end and begin in the middle of things: of characters, of tags, of stop strings.
const std::vector<std::string>& TinyPieces();

// The ids that only a template may write: <bos>, <eos>, the tags and the roles.
bool IsTinyControl(int32_t id);

inline int32_t TinyByte(char byte) { return kTinyFirstByte + static_cast<unsigned char>(byte); }
// One id a byte.
std::vector<int32_t> TinyBytes(std::string_view text);

// With a chat template. think_special: the tags are special tokens, as some checkpoints have them.
TokenizerFiles TinyTokenizerFiles(bool think_special = false);

// What a folder with these files holds.
TextAssets TinyTextAssets();

// Ends the process with the error's text if the files are not good.
Tokenizer ParseOrDie(const TokenizerFiles& files);

}  // namespace fathom

#endif  // FATHOM_TEXT_TINY_TOKENIZER_TESTING_H_
