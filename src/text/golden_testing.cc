#include "text/golden_testing.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/golden_folder_testing.h"
#include "base/json.h"
#include "base/result.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

Json ReadJsonFile(const std::string& path) {
  Result<Json> json = ParseJson(ReadTestFile(path), path);
  if (json.ok()) return std::move(json).value();
  ADD_FAILURE() << json.error().ToString();
  return Json::MakeObject();
}

}  // namespace

std::string ReadTestFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) ADD_FAILURE() << "cannot read " << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string GoldenTokenizerFolder() { return GoldenFolder() + "/tokenizer"; }

Json ReadGoldenJson(const std::string& name) {
  return ReadJsonFile(GoldenTokenizerFolder() + "/" + name);
}

Json ReadVectors(const std::string& name) { return ReadJsonFile("tests/golden/tokenizer/" + name); }

std::vector<ToolsRendering> ReadToolsRenderings() {
  const Json vectors = ReadVectors("tools_vectors.json");
  std::vector<ToolsRendering> renderings;
  for (const Json& output : vectors.Find("outputs")->as_array()) {
    const std::string& chat_template = output.Find("template")->as_string();
    const std::string& conversation = output.Find("conversation")->as_string();
    renderings.push_back({.name = chat_template + ": " + conversation,
                          .chat_template = chat_template,
                          .messages = *vectors.Find("conversations")->Find(conversation),
                          .tools = *vectors.Find("tools"),
                          .bos = output.Find("bos_token")->as_string(),
                          .text = output.Find("text")->as_string()});
  }
  return renderings;
}

std::optional<TokenizerFiles> TokenizerFilesFromEnvironment(const char* variable) {
  const char* folder = std::getenv(variable);
  if (folder == nullptr) return std::nullopt;
  TokenizerFiles files;
  files.tokenizer_json = ReadTestFile(std::string(folder) + "/tokenizer.json");
  files.tokenizer_config = ReadTestFile(std::string(folder) + "/tokenizer_config.json");
  return files;
}

TokenizerFiles MakeR1Files(const TokenizerFiles& v3) {
  TokenizerFiles files = v3;
  Json json = ParseJson(v3.tokenizer_json, "tokenizer.json").value();
  for (auto& [key, value] : json.as_object()) {
    if (key != "added_tokens") continue;
    for (Json& token : value.as_array()) {
      const int64_t id = token.Find("id")->as_int();
      if (id != 128798 && id != 128799) continue;
      token.Set("content", id == 128798 ? "<think>" : "</think>");
      token.Set("special", false);
    }
  }
  files.tokenizer_json = json.Dump();
  ReplaceAll(files.tokenizer_config, "<｜place▁holder▁no▁798｜>", "<think>");
  ReplaceAll(files.tokenizer_config, "<｜place▁holder▁no▁799｜>", "</think>");
  return files;
}

std::vector<int32_t> IdsOf(const Json& array) {
  std::vector<int32_t> ids;
  for (const Json& id : array.as_array()) ids.push_back(static_cast<int32_t>(id.as_int()));
  return ids;
}

}  // namespace fathom
