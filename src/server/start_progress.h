#ifndef FATHOM_SERVER_START_PROGRESS_H_
#define FATHOM_SERVER_START_PROGRESS_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "server/health.h"

namespace fathom {

// Tells whoever asks /health how far the start is, and another Progress the same: "phase 2 of 3,
// reading weights: 37.5 %". The tenth moves every few seconds even where terabytes come over a
// network, so a slow start is not taken for one that hangs. Both references outlive it.
class StartProgress : public Progress {
 public:
  StartProgress(Progress& other, Health& health) : other_(other), health_(health) {}

  void Begin(int number, int phases, std::string_view name, int64_t total) override;
  void Advance(int64_t amount) override;
  void End() override;

 private:
  Progress& other_;
  Health& health_;

  std::mutex mutex_;  // guards everything below
  std::string phase_;
  int64_t total_ = 0;
  int64_t done_ = 0;
  int64_t told_ = 0;  // tenths of a percent
};

}  // namespace fathom

#endif  // FATHOM_SERVER_START_PROGRESS_H_
