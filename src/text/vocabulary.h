#ifndef FATHOM_TEXT_VOCABULARY_H_
#define FATHOM_TEXT_VOCABULARY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace fathom {

// The entries of a byte-level vocabulary, by id and by text.
class Vocabulary {
 public:
  static constexpr int64_t kMaxEntries = 1 << 21;

  // Adds an entry in the byte alphabet, or (AddText) a token that is its own text. The same entry
  // with the same id again is fine; AddText then makes it its own text. Errors (kBadInput): an id
  // outside [0, kMaxEntries), an id or a text that is already another's.
  Status Add(std::string_view entry, int64_t id);
  Status AddText(std::string_view text, int64_t id);

  std::optional<int32_t> Find(std::string_view entry) const;
  // The bytes an id stands for; "" for one that is not known. An entry with a character outside the
  // byte alphabet stands for its own text.
  std::string_view BytesOf(int32_t id) const;
  bool Has(int32_t id) const;
  // One past the largest id.
  size_t size() const { return by_id_.size(); }
  // The ids of the 256 single bytes. Error (kBadInput): one is missing.
  Result<std::array<int32_t, 256>> ByteIds() const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Entry {
    std::string bytes;
    bool known = false;
  };
  std::vector<Entry> by_id_;
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> by_text_;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_VOCABULARY_H_
