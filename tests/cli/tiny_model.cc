#include "tests/cli/tiny_model.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"
#include "io/file_system.h"
#include "spec/config_testing.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"
#include "weights/checkpoint_testing.h"

namespace fathom {
namespace {

std::string Replace(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  FATHOM_CHECK(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void PutTokenizer(const ScratchFolder& folder, const std::string& name) {
  const TokenizerFiles files = TinyTokenizerFiles();
  folder.Put(name + "/tokenizer.json", files.tokenizer_json);
  folder.Put(name + "/tokenizer_config.json", files.tokenizer_config);
}

}  // namespace

std::string ScratchFolder::Put(std::string_view name, std::string_view content) const {
  const std::filesystem::path path = *this / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  FATHOM_CHECK(file.good());
  return path;
}

std::string ScratchFolder::Get(std::string_view name) const {
  std::ifstream file(*this / name, std::ios::binary);
  FATHOM_CHECK(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

bool ScratchFolder::Has(std::string_view name) const {
  return std::filesystem::exists(*this / name);
}

std::string WriteTinyModelWithoutTokenizer(const ScratchFolder& folder, std::string_view name) {
  const std::string path = folder / name;
  std::filesystem::create_directories(path);
  const std::string config = Replace(std::string(TinyDeepseekV3ConfigJson()), "\"vocab_size\": 97",
                                     Format("\"vocab_size\": {}", kTinyVocab));
  const std::unique_ptr<FileSystem> files = MakePosixFileSystem();
  WriteRandomCheckpoint(*files, path, config);
  return path;
}

std::string WriteTinyModel(const ScratchFolder& folder, std::string_view name) {
  PutTokenizer(folder, std::string(name));
  folder.Put(std::string(name) + "/generation_config.json",
             R"({"temperature": 0.6, "top_p": 0.95, "eos_token_id": 1})");
  return WriteTinyModelWithoutTokenizer(folder, name);
}

std::string WriteTinyTokenizer(const ScratchFolder& folder, std::string_view name) {
  PutTokenizer(folder, std::string(name));
  return folder / name;
}

}  // namespace fathom
