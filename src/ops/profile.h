#ifndef FATHOM_OPS_PROFILE_H_
#define FATHOM_OPS_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ops/compute.h"

namespace fathom {

// Where the time of a step goes. Who calls operators names the part of a layer they are for
// (ProfiledLayer, ProfiledPart); the operators say what they read, write and compute (CountWork).
// Threads: the one that calls operators.
class Profile {
 public:
  static constexpr int64_t kNoLayer = -1;  // of what is in no layer

  struct Part {
    std::string_view name = {};  // a literal
    int64_t layer = kNoLayer;
    int64_t calls = 0;
    double seconds = 0;
    double bytes = 0;       // operands read and results written, each once
    double operations = 0;  // multiplications and additions of products
  };

  // The clock outlives the profile.
  explicit Profile(const Clock& clock) : clock_(clock) {}

  void set_layer(int64_t layer) { layer_ = layer; }
  // A part at a time.
  void Begin(std::string_view name);
  void Count(double bytes, double operations);
  void End();

  // In the order in which they were first begun.
  const std::vector<Part>& parts() const { return parts_; }
  void Clear() { parts_.clear(); }

 private:
  const Clock& clock_;
  std::vector<Part> parts_;
  int64_t layer_ = kNoLayer;
  size_t current_ = 0;  // steps repeat their parts in order: the next is looked for behind it
  bool open_ = false;
  double began_s_ = 0;
};

// The parts begun while it lives are of this layer.
class ProfiledLayer {
 public:
  ProfiledLayer(const Compute& compute, int64_t layer) : profile_(compute.profile) {
    if (profile_ != nullptr) profile_->set_layer(layer);
  }
  ~ProfiledLayer() {
    if (profile_ != nullptr) profile_->set_layer(Profile::kNoLayer);
  }
  ProfiledLayer(const ProfiledLayer&) = delete;
  ProfiledLayer& operator=(const ProfiledLayer&) = delete;

 private:
  Profile* profile_;
};

// What is done while it lives is this part, a literal.
class ProfiledPart {
 public:
  ProfiledPart(const Compute& compute, std::string_view name) : profile_(compute.profile) {
    if (profile_ != nullptr) profile_->Begin(name);
  }
  ~ProfiledPart() {
    if (profile_ != nullptr) profile_->End();
  }
  ProfiledPart(const ProfiledPart&) = delete;
  ProfiledPart& operator=(const ProfiledPart&) = delete;

 private:
  Profile* profile_;
};

// Called by an operator. Work outside any part is not counted.
inline void CountWork(const Compute& compute, double bytes, double operations) {
  if (compute.profile != nullptr) compute.profile->Count(bytes, operations);
}

// So many float32 values, read or written.
inline void CountValues(const Compute& compute, int64_t values) {
  CountWork(compute, 4 * static_cast<double>(values), 0);
}

}  // namespace fathom

#endif  // FATHOM_OPS_PROFILE_H_
