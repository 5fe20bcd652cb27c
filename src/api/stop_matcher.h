#ifndef FATHOM_API_STOP_MATCHER_H_
#define FATHOM_API_STOP_MATCHER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// Cuts a stream of text before the first stop string that is completed in it. Of those completed by
// the same byte the longest counts. The result does not depend on how the text was cut into pieces;
// text that may still become a stop string is held back until the next piece decides.
//
// Pieces and stop strings of whole UTF-8 characters give pieces of whole characters.
class StopMatcher {
 public:
  // No stop string may be empty (CHECK). No stop strings: text passes unchanged. include_stop: the
  // text is cut behind the stop string instead.
  explicit StopMatcher(std::vector<std::string> stops, bool include_stop = false);

  // The text that `piece` sets free; nothing once stopped.
  std::string Push(std::string_view piece);
  // What was held back when no more text comes.
  std::string Finish();

  bool stopped() const { return matched_.has_value(); }
  // The stop string that was met.
  const std::optional<std::string>& matched() const { return matched_; }

 private:
  size_t HeldSuffix() const;

  std::vector<std::string> stops_;
  bool include_stop_;
  std::string held_;
  std::optional<std::string> matched_;
};

}  // namespace fathom

#endif  // FATHOM_API_STOP_MATCHER_H_
