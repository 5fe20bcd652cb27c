#include "server/start_progress.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/format.h"
#include "server/health.h"

namespace fathom {

void StartProgress::Begin(int number, int phases, std::string_view name, int64_t total) {
  other_.Begin(number, phases, name, total);
  const std::lock_guard lock(mutex_);
  phase_ = Format("phase {} of {}, {}", number, phases, name);
  total_ = total;
  done_ = told_ = 0;
  health_.Starting(phase_);
}

void StartProgress::Advance(int64_t amount) {
  other_.Advance(amount);
  const std::lock_guard lock(mutex_);
  done_ += amount;
  if (total_ == 0) return;
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  const auto tenths = static_cast<int64_t>(std::min(share, 1.0) * 1000);
  if (tenths == told_) return;
  told_ = tenths;
  health_.Starting(Format("{}: {}.{} %", phase_, tenths / 10, tenths % 10));
}

void StartProgress::End() { other_.End(); }

}  // namespace fathom
