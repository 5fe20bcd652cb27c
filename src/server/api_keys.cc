#include "server/api_keys.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "io/file_system.h"

namespace fathom {
namespace {

// Of the file of keys, which may be a pipe.
constexpr int64_t kMostBytes = 1 << 20;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool VisibleAscii(char c) { return c > ' ' && c <= '~'; }

// Looks at every character of `given` whatever it finds.
bool SameText(std::string_view key, std::string_view given) {
  unsigned difference = key.size() == given.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = key[i % key.size()];
    difference |= static_cast<unsigned char>(expected) ^ static_cast<unsigned char>(given[i]);
  }
  return difference == 0;
}

// The scheme may be written in any case (RFC 7235, 2.1).
std::string_view BearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size()) return "";
  for (size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) return "";
  }
  return Trim(authorization.substr(kScheme.size()));
}

}  // namespace

Result<ApiKeys> ApiKeys::Load(const std::vector<std::string>& flags, const std::string& file,
                              FileSystem& files, const KeyVariable& environment) {
  ApiKeys keys;
  for (const std::string& key : flags) FATHOM_OK(keys.Add(key, "--api-key"));
  keys.EndSource("--api-key");
  if (!file.empty()) {
    FATHOM_TRY(const std::string text, files.ReadStream(file, kMostBytes));
    const size_t before = keys.size();
    int number = 0;
    for (std::string& line : Split(text, '\n')) {
      ++number;
      if (line.empty() || line.front() == '#') continue;
      FATHOM_OK(keys.Add(std::move(line), Format("{}: line {}", file, number)));
    }
    if (keys.size() == before) {
      return BadInput("the file holds no key", "--api-key-file: " + file, "write one key a line");
    }
    keys.EndSource(file);
  }
  if (environment.value != nullptr) {
    for (std::string& key : Split(environment.value, ',')) {
      FATHOM_OK(keys.Add(std::move(key), Format("the environment's {}", environment.name)));
    }
    keys.EndSource(environment.name);
  }
  return keys;
}

void ApiKeys::EndSource(std::string_view name) {
  size_t known = 0;
  for (const Source& source : sources_) known += source.keys;
  if (keys_.size() > known) sources_.push_back({std::string(name), keys_.size() - known});
}

std::string ApiKeys::Describe() const {
  FATHOM_CHECK(required());
  std::string text = keys_.size() == 1 ? "a key" : Format("one of {} keys", keys_.size());
  std::string_view before = ": ";
  for (const Source& source : sources_) {
    text += Format("{}{} of {}", std::exchange(before, ", "), source.keys, source.name);
  }
  return text;
}

Status ApiKeys::Add(std::string key, const std::string& where) {
  if (key.empty()) return BadInput("a key is empty", where, "give a key, or leave it out");
  const auto bad = std::ranges::find_if_not(key, VisibleAscii);
  if (bad != key.end()) {
    return BadInput(Format("character {} of a key is not a visible ASCII character, so no header "
                           "can carry it",
                           bad - key.begin() + 1),
                    where, "take letters, digits and punctuation");
  }
  keys_.push_back(std::move(key));
  return Ok();
}

std::optional<size_t> ApiKeys::Find(std::string_view authorization) const {
  const std::string_view given = BearerToken(authorization);
  std::optional<size_t> found;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (SameText(keys_[i], given)) found = i;
  }
  return found;
}

}  // namespace fathom
