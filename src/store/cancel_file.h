// Cancels that were acknowledged while no commit was possible, in room that is set aside before it
// is needed: a file that is only ever written over. Whoever fills the disk can so be ended for
// good.
//
// Rule: they are due only if no commit has succeeded since; every commit of the engine takes them
// in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store.h"
#include "os/fd.h"
#include "store/place.h"

namespace gpusched {

inline constexpr const char* kCancelsName = "store.cancels";

class CancelFile {
 public:
  // Makes it (0600) with all its room; on a full disk without.
  static Result<CancelFile> open(const std::string& directory);
  const std::vector<KeptCancel>& kept() const { return kept_; }
  // At that many commits of the database.
  std::uint64_t commits() const { return commits_; }

  // More of them; on disk when it returns, or not kept.
  Result<void> keep(const std::vector<KeptCancel>& more, std::uint64_t commits);
  // They are in the database, or it is known that they mean nothing any more.
  void clear();

 private:
  Result<void> write();

  std::string path_;
  Fd file_;
  FilePlace place_;
  std::vector<KeptCancel> kept_;
  std::uint64_t commits_ = 0;
  std::uint64_t writes_ = 0;  // Two places by turns: a torn write costs one of them.
};

}  // namespace gpusched
