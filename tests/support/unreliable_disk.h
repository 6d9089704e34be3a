// For tests: a file layer under SQLite that remembers which writes were synced, so that a power
// cut can be played. The files on the real disk hold everything; power_cut() makes the copy that
// a machine would find after its power came back: what was synced, and of the rest any part.
// Names of files count as durable at once: SQLite syncs directories itself, out of our sight.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace gpusched::testing {

class UnreliableDisk {
 public:
  UnreliableDisk();
  ~UnreliableDisk();
  UnreliableDisk(const UnreliableDisk&) = delete;
  UnreliableDisk& operator=(const UnreliableDisk&) = delete;

  // For SqliteStore::Options.
  const char* name() const;

  // After this many more writes, truncations and syncs everything fails: the power is out.
  void cut_power_after(int operations);
  bool power_is_out() const;
  // The next syncs fail, although what was written stays readable.
  void fail_syncs(int count);
  // Syncs so far.
  int syncs() const;

  // What the files of directory `from` look like after a power cut now, written to `to`. Sectors
  // that were not synced arrive or not, as `seed` decides.
  void power_cut(const std::string& from, const std::string& to, std::uint64_t seed) const;

  struct Inside;

 private:
  std::unique_ptr<Inside> inside_;
};

}  // namespace gpusched::testing
