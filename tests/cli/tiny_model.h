#ifndef FATHOM_TESTS_CLI_TINY_MODEL_H_
#define FATHOM_TESTS_CLI_TINY_MODEL_H_

#include <string>
#include <string_view>

#include "io/temp_folder_testing.h"

namespace fathom {

// A folder of this test's own with files in it.
class ScratchFolder : public TempFolder {
 public:
  // Writes a file; returns its path.
  std::string Put(std::string_view name, std::string_view content) const;
  std::string Get(std::string_view name) const;  // the file must be there (CHECK)
  bool Has(std::string_view name) const;
};

// A random DeepSeek-V3 checkpoint with an MTP layer and the tokenizer of
// text/tiny_tokenizer_testing.h, in `folder`/<name>; returns its path.
std::string WriteTinyModel(const ScratchFolder& folder, std::string_view name);

// The same without tokenizer files.
std::string WriteTinyModelWithoutTokenizer(const ScratchFolder& folder, std::string_view name);

// Tokenizer files alone.
std::string WriteTinyTokenizer(const ScratchFolder& folder, std::string_view name);

}  // namespace fathom

#endif  // FATHOM_TESTS_CLI_TINY_MODEL_H_
