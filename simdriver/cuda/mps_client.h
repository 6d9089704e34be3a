// This process as a client of a (simulated) MPS server: which one, and what it may have there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "os/fd.h"
#include "simdriver/cuda/abi.h"

namespace gpusched::simdriver::cuda {

class MpsClient {
 public:
  // As the environment says. Nullopt: nothing listens where it points, so the process runs without.
  // `code` is not kSuccess when there is a server that does not want it.
  static std::optional<MpsClient> connect(int& code);

  // False: its server has died, and with it everything this process could do.
  bool server_lives() const;
  std::uint64_t limit_of(Ordinal ordinal) const;  // UINT64_MAX: none.
  unsigned thread_percent() const { return thread_percent_; }

 private:
  MpsClient() = default;
  Fd server_;  // A pidfd; empty: only a name was there.
  std::map<Ordinal, std::uint64_t> limits_;
  unsigned thread_percent_ = 100;
};

// "0=8G,1=512M" and the like; what cannot be read sets no limit.
std::map<Ordinal, std::uint64_t> pinned_limits(const char* text);

}  // namespace gpusched::simdriver::cuda
