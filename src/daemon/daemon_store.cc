// The daemon and its store: opened, compared with the job directories.
#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>
#include <utility>

#include "daemon/card_memory.h"
#include "daemon/daemon.h"
#include "daemon/job_note.h"
#include "daemon/loss_report.h"
#include "daemon/state_directory.h"
#include "engine/reconcile.h"
#include "jobdir/found_jobs.h"
#include "jobdir/job_directory.h"
#include "jobdir/remove_tree.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/place.h"
#include "wire/environment.h"

namespace gpusched {
namespace {

std::string name_of(std::uint32_t uid) {
  const passwd* user = ::getpwuid(uid);
  return user == nullptr ? std::to_string(uid) : std::string(user->pw_name);
}

void read_notes(FoundJob& job) {
  if (job.order.owner) job.order.owner->user = name_of(job.order.owner->uid);
  if (!job.order.note.empty()) {
    if (auto noted = job_of_note(job.order.note)) job.noted = std::move(*noted);
  }
  if (job.order.holds.empty()) return;
  if (auto held = held_of_text(job.order.holds)) job.holds = std::move(*held);
}

// By what was seen in former lives; the cards themselves are not looked at yet.
std::vector<CardNumber> cards_known(const std::string& state_directory) {
  std::vector<CardNumber> numbers;
  const auto known = read_card_memory(state_directory);
  for (const KnownCard& card : known ? *known : KnownCards{}) numbers.push_back(card.number);
  return numbers;
}

// Of a daemon that knew no ids: only where there was one. And of a directory whose id was deleted
// while jobs run here: a new one would make them nobody's.
std::string earlier_id_of(const std::string& directory) {
  if (!read_state_id(directory)) {
    std::string living = living_state_id(directory);
    if (!living.empty()) return living;
  }
  const bool used = ::access((directory + "/" + kMarkerName).c_str(), F_OK) == 0;
  return used ? earlier_group_name(directory) : std::string();
}

}  // namespace

Result<StoreImage> Daemon::open_store(const std::string& boot_id) {
  const std::string& directory = config_.state_directory;
  auto lock = take_state_directory(directory);
  if (!lock) return failure(lock.error());
  lock_ = std::move(*lock);
  auto id = take_state_id(directory, boot_id, earlier_id_of(directory));
  if (!id) return failure(id.error());
  state_id_ = std::move(*id);
  if (state_id_.copied) disown_copied();
  auto store = SqliteStore::open({.directory = directory});
  if (!store) return failure(store.error());
  store_ = std::move(*store);
  auto image = store_->load();
  if (!image) return image;
  if (auto compared = compare_with_directories(*image); !compared) {
    return failure(compared.error());
  }
  store_thread_ = std::make_unique<StoreThread>(
      *store_, [this](std::function<void()> work) { boost::asio::post(loop_, std::move(work)); });
  past_thread_ = std::make_unique<StoreThread>(
      *store_, [this](std::function<void()> work) { boost::asio::post(loop_, std::move(work)); });
  return image;
}

// What runs belongs to the directory that this one was copied from; so do its MPS servers.
void Daemon::disown_copied() {
  log_warning(
      "the state directory is a copy; jobs that run belong to the original and are left alone",
      {{"state", config_.state_directory}, {"id", state_id_.id}});
  const Fd directory(::open(config_.state_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return;
  if (auto removed = remove_tree(directory.get(), "mps"); !removed) {
    log_warning("records of MPS servers of the original are left",
                {{"reason", removed.error().message}});
  }
}

Result<void> Daemon::compare_with_directories(StoreImage& image) {
  const auto attempts_of = [&image](JobId id) -> std::optional<int> {
    const auto job = std::ranges::lower_bound(image.jobs, id, {}, &Job::id);
    return job != image.jobs.end() && job->id == id ? std::optional(job->attempt) : std::nullopt;
  };
  auto found = find_unknown_attempts(config_.state_directory, attempts_of);
  if (!found) return failure(found.error());
  for (FoundJob& job : *found) read_notes(job);
  // A number is in use as long as anything of it is there: also a group without a directory.
  const auto groups = attempts_with_leaves(find_cgroup_base(config_.state_directory));
  for (const AttemptId& attempt : groups) found->push_back({.job = attempt.job});
  std::ranges::stable_sort(*found, {}, &FoundJob::job);
  const Wall now = read_clock().wall;
  const Reconciled done = reconcile(image, *found,
                                    {.no_environment = make_environment({}),
                                     .cards = cards_known(config_.state_directory),
                                     .now = now});
  recall_taken_over(image);
  remember_found(*found, done);
  look_for_nobodys_groups(image, groups);
  if (auto back = bring_environments_back(image); !back) return back;
  if (!image.loss && done.nothing()) return {};
  const std::string what = describe(done, image.loss);
  log_error(what);
  if (auto written = write_loss(config_.state_directory, what, now); !written) {
    log_error(written.error().message);
  }
  if (auto repaired = store_->commit(done.repair); !repaired) return failure(repaired.error());
  return {};
}

// For administrators, who see who was taken over and who was not.
// REQUIRES: what was found is in order.
void Daemon::remember_found(const std::vector<FoundJob>& found, const Reconciled& done) {
  for (const FoundJob& job : found) {
    if (job.left_alone > 0)
      left_alone_.emplace_back(AttemptId{job.job, job.left_alone}, job.refused);
  }
  // Of one that has ended meanwhile only its result is to be read.
  const auto lives = [&](JobId id) {
    return std::ranges::any_of(std::ranges::equal_range(found, id, {}, &FoundJob::job),
                               &FoundJob::lives);
  };
  for (const auto* jobs : {&done.brought_back, &done.caught_up}) {
    std::ranges::copy_if(*jobs, std::back_inserter(taken_over_), lives);
  }
}

// By a former daemon. Only asked for as long as the loss is not seen to.
void Daemon::recall_taken_over(const StoreImage& image) {
  constexpr std::size_t kEntriesMost = 1000;
  if (read_losses(config_.state_directory).empty()) return;
  for (const Job& job : image.jobs) {
    if (!job.active()) continue;
    const auto trail = store_->trail(job.id, 0, kEntriesMost);
    const auto found = [&job](const TrailEntry& entry) {
      return entry.kind == "found" && entry.attempt == job.attempt;
    };
    if (trail && std::ranges::any_of(*trail, found)) taken_over_.push_back(job.id);
  }
}

void Daemon::look_for_nobodys_groups(const StoreImage& image,
                                     const std::vector<AttemptId>& groups) {
  for (const AttemptId& attempt : groups) {
    const auto job = std::ranges::lower_bound(image.jobs, attempt.job, {}, &Job::id);
    const bool ours = job != image.jobs.end() && job->id == attempt.job && job->active() &&
                      job->attempt == attempt.number;
    if (!ours)
      nobodys_groups_.push_back(leaf_path(find_cgroup_base(config_.state_directory), attempt));
  }
}

// What the database believed to have ended may go on, and start again later.
Result<void> Daemon::bring_environments_back(const StoreImage& image) {
  for (const Job& job : image.jobs) {
    const Environment* name = job.spec->environment.get();
    if (job.ended() || name == nullptr || !name->away) continue;
    auto read = store_->environments({name->hash});
    if (!read) return failure(read.error());
    (void)bring_back(*job.spec, *read);
  }
  return {};
}

// Empty: none of them runs any more.
std::string Daemon::taken_over_now() const {
  constexpr std::size_t kNamedMost = 10;
  std::string text;
  std::size_t running = 0;
  for (const JobId id : taken_over_) {
    const Job* job = engine_->state().find(id);
    if (job == nullptr || !job->active() || ++running > kNamedMost) continue;
    text += (text.empty() ? "" : ", ") + to_string(id) + " (" + job->owner.user + ")";
  }
  if (running == 0) return {};
  if (running > kNamedMost) text += " and " + std::to_string(running - kNamedMost) + " more";
  return "found running and taken over: jobs " + text +
         "; gpusched show has what is known of one, gpusched cancel ends it";
}

std::vector<std::string> Daemon::problems() const {
  std::vector<std::string> all = read_losses(config_.state_directory);
  for (const std::string& path : nobodys_groups_) {
    const Fd group(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!group || leaf_is_empty(group.get())) continue;
    all.push_back("processes of a job that the queue does not know run in " + path +
                  "; root ends them with: echo 1 > " + path + "/cgroup.kill");
  }
  if (std::string taken = taken_over_now(); !taken.empty()) all.push_back(std::move(taken));
  for (const auto& [attempt, why] : left_alone_) {
    const auto directory = open_attempt(config_.state_directory, attempt);
    if (!directory || !*directory || !claim_is_held(directory->get()).value_or(false)) continue;
    const std::string path = attempt_directory(config_.state_directory, attempt);
    all.push_back("a job that the queue does not know runs in " + path +
                  " and is not taken over: " + why +
                  "; its supervisor ends it, and itself, after: rm -r " + path);
  }
  for (const std::string& why : network_troubles_) {
    all.push_back("other machines cannot reach the daemon as network.listen says: " + why +
                  "; it is tried again");
  }
  if (const auto error = engine_->store_error()) {
    all.push_back("changes are refused, and no alarm is raised: " + *error);
  }
  if (const auto& trouble = courier_->trouble()) all.push_back("no message is sent: " + *trouble);
  if (engine_->state().disk_full()) {
    all.emplace_back("the disk that holds the state directory is full: no job is taken or started");
  }
  return all;
}

}  // namespace gpusched
