// The history in SQLite. A block's key is its tier, its start and its owner in one number, in this
// order: what is oldest in a tier lies at its beginning, so that deleting and bounding the size
// are ranges, and reading a span of time is a few look-ups of known keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/ids.h"
#include "store/sqlite.h"

namespace gpusched::history {

// A place in a table of blocks. Cards and attempts have tiers of their own in it.
enum class Space : std::uint8_t {};
constexpr Space card_space(std::size_t tier) { return static_cast<Space>(tier); }
constexpr Space job_space(std::size_t tier) { return static_cast<Space>(4 + tier); }

// Of a card or an attempt, for life.
enum class Owner : std::int64_t {};

struct BlockKey {
  Space space{};
  Wall start{};
  Owner owner{};
};
// Times that a key can hold; others come from a clock that nobody should believe.
bool fits_key(Wall at);

struct KnownCard {
  Owner owner{};
  std::string uuid;
  std::optional<CardNumber> number;
};
struct KnownAttempt {
  Owner owner{};
  AttemptId attempt;
  Wall first{};  // The earliest and latest points that it may have.
  Wall last{};
};

class HistoryFile {
 public:
  // REQUIRES: the file exists; it may be empty. `damaged` says why an error came. `vfs` null: the
  // operating system's files.
  static Result<std::unique_ptr<HistoryFile>> open(const std::string& path, const char* vfs,
                                                   bool& damaged);

  // Changes are gathered in one transaction until commit().
  Result<std::optional<std::string>> load(const BlockKey& key);
  Result<void> save(const BlockKey& key, const std::string& bytes);
  Result<void> remove(const BlockKey& key);
  // All of one owner, however far apart: reads the whole tier.
  Result<void> remove_all_of(Space space, Owner owner);
  // Blocks of a tier that begin before or after, oldest first, at most so many; returns how many.
  Result<int> remove_before(Space space, Wall start, int most);
  Result<int> remove_after(Space space, Wall start, int most);
  // Start of the oldest block of a tier.
  Result<std::optional<Wall>> oldest(Space space);
  Result<void> commit();

  Result<std::vector<KnownCard>> cards();
  // A number belongs to one card: whoever had it before has none then.
  Result<Owner> put_card(const std::string& uuid, CardNumber number);
  Result<std::vector<KnownAttempt>> attempts_of(JobId job);
  Result<std::vector<JobId>> jobs();
  Result<Owner> put_attempt(AttemptId attempt, Wall at);
  // It has points at `at` as well.
  Result<void> stretch(Owner attempt, Wall at);
  Result<void> remove_attempt(Owner attempt);

  // Bytes in use, without those that are free to be used again.
  Result<std::uint64_t> used_bytes();
  // Gives free pages back to the disk, some at a time.
  Result<void> shrink();
  // Right after a failure: the file itself is at fault, not the disk.
  bool damaged() const { return unsound_ || database_.damaged(); }

 private:
  HistoryFile() = default;
  Result<void> prepare(const std::string& path);
  Result<void> begin();
  Result<int> remove_between(std::int64_t least, std::int64_t most, int rows);

  Database database_;
  bool unsound_ = false;  // SQLite's own check found something.
  Statement load_, save_, remove_, remove_some_, remove_owner_, oldest_;
  Statement list_cards_, find_card_, add_card_, clear_number_, set_number_;
  Statement list_attempts_, list_jobs_, add_attempt_, stretch_, remove_attempt_;
};

}  // namespace gpusched::history
