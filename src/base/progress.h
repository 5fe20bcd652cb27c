#ifndef FATHOM_BASE_PROGRESS_H_
#define FATHOM_BASE_PROGRESS_H_

#include <cstdint>
#include <string_view>

namespace fathom {

// Hears how a long job goes on: numbered phases, each with an amount of work in bytes or items.
// Threads: Advance may be called from several at once.
class Progress {
 public:
  virtual ~Progress() = default;
  // "[2/4] reading weights": a phase of `total` units begins; total 0: the amount is not known.
  virtual void Begin(int number, int phases, std::string_view name, int64_t total_bytes) = 0;
  virtual void Advance(int64_t bytes) = 0;
  virtual void End() = 0;
};

// Hears and says nothing.
class NoProgress : public Progress {
 public:
  void Begin(int /*number*/, int /*phases*/, std::string_view /*name*/,
             int64_t /*total_bytes*/) override {}
  void Advance(int64_t /*bytes*/) override {}
  void End() override {}
};

}  // namespace fathom

#endif  // FATHOM_BASE_PROGRESS_H_
