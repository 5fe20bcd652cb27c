#include "text/bpe_reference.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/bpe.h"

namespace fathom {

std::vector<int32_t> EncodeReference(const std::array<int32_t, 256>& byte_ids,
                                     const std::vector<Bpe::Merge>& merges, std::string_view word) {
  std::vector<int32_t> ids;
  for (const char c : word) ids.push_back(byte_ids[static_cast<uint8_t>(c)]);
  for (size_t rank = 0; rank < merges.size();) {
    const Bpe::Merge& merge = merges[rank];
    size_t at = 0;
    while (at + 1 < ids.size() && !(ids[at] == merge.left && ids[at + 1] == merge.right)) ++at;
    if (at + 1 >= ids.size()) {
      ++rank;
      continue;
    }
    ids[at] = merge.result;
    ids.erase(ids.begin() + static_cast<ptrdiff_t>(at) + 1);
    rank = 0;  // the merge may have made a pair of a lower rank
  }
  return ids;
}

}  // namespace fathom
