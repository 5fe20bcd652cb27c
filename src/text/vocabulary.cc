#include "text/vocabulary.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "text/byte_alphabet.h"

namespace fathom {
namespace {

Error Contradiction(std::string what) {
  return BadInput(std::move(what), "",
                  "the tokenizer's files are damaged or do not belong "
                  "together: fetch them again");
}

}  // namespace

Status Vocabulary::Add(std::string_view entry, int64_t id) {
  if (id < 0 || id >= kMaxEntries) {
    return Contradiction(
        Format("token \"{}\" has id {}, expected 0 to {}", entry, id, kMaxEntries - 1));
  }
  const auto narrow_id = static_cast<int32_t>(id);
  const auto [place, is_new] = by_text_.try_emplace(std::string(entry), narrow_id);
  if (!is_new && place->second == narrow_id) return Ok();
  if (!is_new) {
    return Contradiction(Format("token \"{}\" has the ids {} and {}", entry, place->second, id));
  }
  if (Has(narrow_id)) {
    by_text_.erase(place);
    return Contradiction(
        Format("id {} of token \"{}\" is already that of another token", id, entry));
  }
  if (static_cast<size_t>(id) >= by_id_.size()) by_id_.resize(static_cast<size_t>(id) + 1);
  by_id_[static_cast<size_t>(id)] = {BytesOfEntry(entry).value_or(std::string(entry)), true};
  return Ok();
}

Status Vocabulary::AddText(std::string_view text, int64_t id) {
  FATHOM_OK(Add(text, id));
  by_id_[static_cast<size_t>(id)].bytes = text;
  return Ok();
}

std::optional<int32_t> Vocabulary::Find(std::string_view entry) const {
  const auto place = by_text_.find(entry);
  if (place == by_text_.end()) return std::nullopt;
  return place->second;
}

bool Vocabulary::Has(int32_t id) const {
  return id >= 0 && static_cast<size_t>(id) < by_id_.size() &&
         by_id_[static_cast<size_t>(id)].known;
}

std::string_view Vocabulary::BytesOf(int32_t id) const {
  if (!Has(id)) return {};
  return by_id_[static_cast<size_t>(id)].bytes;
}

Result<std::array<int32_t, 256>> Vocabulary::ByteIds() const {
  std::array<int32_t, 256> ids{};
  for (size_t byte = 0; byte < ids.size(); ++byte) {
    const std::optional<int32_t> id = Find(ByteCharacter(static_cast<uint8_t>(byte)));
    if (!id.has_value()) {
      return BadInput(
          Format("the vocabulary has no token \"{}\" for byte {:#04x}",
                 ByteCharacter(static_cast<uint8_t>(byte)), byte),
          "", "only byte-level BPE tokenizers are supported: use a checkpoint that has one");
    }
    ids[byte] = *id;
  }
  return ids;
}

}  // namespace fathom
