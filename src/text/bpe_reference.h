#ifndef FATHOM_TEXT_BPE_REFERENCE_H_
#define FATHOM_TEXT_BPE_REFERENCE_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/bpe.h"

namespace fathom {

// Byte-pair encoding by its definition: again and again the leftmost pair of the lowest rank.
std::vector<int32_t> EncodeReference(const std::array<int32_t, 256>& byte_ids,
                                     const std::vector<Bpe::Merge>& merges, std::string_view word);

}  // namespace fathom

#endif  // FATHOM_TEXT_BPE_REFERENCE_H_
