#include "ops/profile.h"

#include <cstddef>
#include <string_view>

#include "base/check.h"

namespace fathom {

void Profile::Begin(std::string_view name) {
  FATHOM_CHECK(!open_);
  open_ = true;
  const auto matches = [&](const Part& part) { return part.layer == layer_ && part.name == name; };
  size_t looked_at = 0;
  while (looked_at < parts_.size() && !matches(parts_[current_ % parts_.size()])) {
    ++current_;
    ++looked_at;
  }
  if (looked_at == parts_.size()) {
    current_ = parts_.size();
    parts_.push_back({.name = name, .layer = layer_});
  } else {
    current_ %= parts_.size();
  }
  began_s_ = clock_.Seconds();
}

void Profile::Count(double bytes, double operations) {
  if (!open_) return;
  parts_[current_].bytes += bytes;
  parts_[current_].operations += operations;
}

void Profile::End() {
  FATHOM_CHECK(open_);
  Part& part = parts_[current_];
  part.seconds += clock_.Seconds() - began_s_;
  ++part.calls;
  open_ = false;
}

}  // namespace fathom
