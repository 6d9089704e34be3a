#include "jobdir/found_jobs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "jobdir/job_directory.h"
#include "jobdir/record.h"

namespace gpusched {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// The names in a directory that are plain numbers, in order.
std::vector<std::uint64_t> numbers_in(int directory) {
  std::vector<std::uint64_t> numbers;
  const std::unique_ptr<DIR, CloseDirectory> listing(
      ::fdopendir(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
    std::uint64_t number = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    const auto [stop, error] = std::from_chars(entry->d_name, end, number);
    if (error == std::errc{} && stop == end && number > 0) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::string spec_word(const Record& record, const std::string& key) {
  const std::string* value = record.find(key);
  return value == nullptr ? std::string() : *value;
}

// Of the directory that every command got before it ran; nobody but us can put another in its
// place.
std::optional<ClaimOwner> owner_of_checkpoints(int attempt) {
  struct stat about {};
  if (::fstatat(attempt, "../checkpoint", &about, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (!S_ISDIR(about.st_mode)) return std::nullopt;
  return ClaimOwner{about.st_uid, about.st_gid};
}

// Each of these was written by a shim for this attempt. Whoever cannot be named by one of them is
// named by none: no job becomes root's because something could not be read.
std::optional<ClaimOwner> owner_found(int directory, const ClaimRecord& claim,
                                      std::optional<ClaimOwner> by_spec) {
  if (claim.owner) return claim.owner;
  const auto adoption = read_file(directory, "adopted");
  if (adoption && *adoption) {
    if (const auto record = parse_adoption(**adoption)) return ClaimOwner{record->uid, record->gid};
  }
  if (by_spec || claim.process) return by_spec;
  return owner_of_checkpoints(directory);
}

// Of its `spec`, written for people; what cannot be read is left out.
FoundOrder order_in(int directory, const ClaimRecord& claim) {
  FoundOrder order;
  order.adopted = claim.process;
  order.holds = claim.holds;
  std::optional<ClaimOwner> by_spec;
  const auto text = read_file(directory, "spec");
  if (text && *text) {
    if (const auto record = Record::parse(**text)) {
      for (int i = 0; const std::string* word = record->find("argument_" + std::to_string(i)); ++i)
        order.argv.push_back(*word);
      order.working_directory = spec_word(*record, "working_directory");
      order.output_path = spec_word(*record, "output");
      order.error_path = spec_word(*record, "error");
      order.note = spec_word(*record, "job");
      by_spec = owner_in(*record);
    }
  }
  if (const auto owner = owner_found(directory, claim, by_spec)) {
    order.owner = Identity{owner->uid, owner->gid, std::to_string(owner->uid)};
  }
  return order;
}

void leave_alone(FoundJob& found, int attempt, std::string why) {
  found.refused = std::move(why);
  found.left_alone = attempt;
}

// True: this is the attempt that counts.
bool take_attempt(FoundJob& found, int directory, int attempt) {
  const bool lives = claim_is_held(directory).value_or(false);
  const auto text = read_file(directory, "claim");
  if (text && !*text) return false;
  const auto claim = text ? parse_claim(**text) : failure(text.error());
  if (!claim) {
    if (lives) leave_alone(found, attempt, "its claim cannot be read: " + claim.error().message);
    return lives;
  }
  if (!claim->by_shim) return false;
  found.claimed = attempt;
  found.order = order_in(directory, *claim);
  found.lives = lives;
  if (lives && !found.order.owner) leave_alone(found, attempt, "nothing there says whose it is");
  return true;
}

FoundJob look_into(const std::string& state_directory, int jobs, JobId job) {
  FoundJob found{.job = job};
  const Fd directory(
      ::openat(jobs, to_string(job).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return found;
  std::vector<std::uint64_t> attempts = numbers_in(directory.get());
  for (auto number = attempts.rbegin(); number != attempts.rend(); ++number) {
    if (*number > std::uint64_t{1'000'000'000}) continue;
    const int attempt = static_cast<int>(*number);
    const auto opened = open_attempt(state_directory, {job, attempt});
    if (!opened || !opened->valid()) continue;
    if (take_attempt(found, opened->get(), attempt)) return found;
  }
  return found;
}

}  // namespace

Result<std::vector<FoundJob>> find_unknown_attempts(
    const std::string& state_directory,
    const std::function<std::optional<int>(JobId)>& attempts_of) {
  std::vector<FoundJob> found;
  const std::string path = jobs_directory(state_directory);
  const Fd jobs(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!jobs && errno == ENOENT) return found;
  if (!jobs) {
    return failure(ErrorCode::kIo, "look through " + path + ": " + std::strerror(errno));
  }
  for (const std::uint64_t number : numbers_in(jobs.get())) {
    const JobId job{number};
    const auto known = attempts_of(job);
    struct stat about {};
    const std::string next = to_string(job) + "/" + std::to_string(known.value_or(0) + 1);
    if (known && ::fstatat(jobs.get(), next.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    found.push_back(look_into(state_directory, jobs.get(), job));
  }
  return found;
}

std::string living_state_id(const std::string& state_directory) {
  const Fd jobs(
      ::open(jobs_directory(state_directory).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!jobs) return {};
  for (const std::uint64_t job : numbers_in(jobs.get())) {
    const Fd directory(::openat(jobs.get(), std::to_string(job).c_str(),
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory) continue;
    for (const std::uint64_t number : numbers_in(directory.get())) {
      const Fd attempt(::openat(directory.get(), std::to_string(number).c_str(),
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!attempt || !claim_is_held(attempt.get()).value_or(false)) continue;
      const auto text = read_file(attempt.get(), "claim");
      if (!text || !*text) continue;
      const auto claim = parse_claim(**text);
      if (claim && claim->by_shim && !claim->state.empty()) return claim->state;
    }
  }
  return {};
}

}  // namespace gpusched
