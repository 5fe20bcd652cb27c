#ifndef FATHOM_SERVER_KNOWN_ANSWER_H_
#define FATHOM_SERVER_KNOWN_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "io/file_system.h"

namespace fathom {

// A prompt and the tokens the model is known to answer with, greedily.
struct SelfTest {
  std::vector<int32_t> prompt;
  std::vector<int32_t> expected;  // empty: they are not known
};

// Reads DIR/expected.json, {"items": [{"prompt_ids": [...], "ids": [...], "margins": [...]}, ...]},
// of which the first item is taken, up to the first token whose logit leads by less than
// `kSafeMargin`: rounding may turn that one. No such file: none.
// Errors (kBadInput): a file of another form, ids outside the vocabulary.
inline constexpr double kSafeMargin = 0.5;
Result<std::optional<SelfTest>> LoadSelfTest(FileSystem& files, const std::string& folder,
                                             int64_t vocab);

// Lets the engine, which has nothing else to do, answer the prompt. Errors (kFailed), with what to
// look at: logits that are no numbers, other tokens than expected, or, where none are known, an
// answer that is one token again and again.
Status RunSelfTest(Engine& engine, const SelfTest& test);

}  // namespace fathom

#endif  // FATHOM_SERVER_KNOWN_ANSWER_H_
