#include "scheduler/daemon_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

#include "base/time.h"
#include "os/clock.h"
#include "os/locations.h"
#include "scheduler/daemon_feed.h"
#include "scheduler/daemon_line.h"
#include "scheduler/lease_words.h"
#include "scheduler/per_process.h"

namespace gpusched::library {
namespace {

using std::chrono::milliseconds;

// The leases that objects of this process know to be theirs.
class OwnLeases {
 public:
  void add(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    ids_.insert(id);
  }
  void remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    ids_.erase(id);
  }
  bool contains(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    return ids_.contains(id);
  }
  // Shared by those who ask, until what they got is in the list; alone for who looks for strays.
  std::shared_mutex& asking() { return asking_; }
  void abandon() const {}

 private:
  std::shared_mutex asking_;
  std::mutex mutex_;
  std::set<std::uint64_t> ids_;
};
OwnLeases& own_leases() {
  // Never destroyed: schedulings may outlive main().
  static auto* all = new PerProcess<OwnLeases>;
  return all->get();
}

bool means_its_end(FaultKind kind) {
  return kind == FaultKind::kTimeout || kind == FaultKind::kReset || kind == FaultKind::kCardLost ||
         kind == FaultKind::kUnknown;
}

class DaemonBackend final : public Backend {
 public:
  DaemonBackend(const std::vector<std::string>& sockets, std::string application)
      : sockets_(sockets),
        line_(sockets),
        feed_(sockets, "/v1/leases/changes", lease_of_line),
        application_(std::move(application)) {}

  Reply<std::vector<Standing>> ask(const std::vector<Wish>& wishes) override {
    if (wishes.empty()) return std::vector<Standing>{};
    feed_.rest();
    if (Reply<void> known = give_up_strays(); !known) return tl::unexpected<Fault>(known.error());
    const std::shared_lock asking(own_leases().asking());
    const Result<DaemonAnswer> answer =
        line_.call({"POST", "/v1/leases", body_of(wishes, application_)});
    // They may have been granted although nobody heard of it.
    if (!answer) doubtful_ = true;
    Reply<JsonValue> value = value_of(answer);
    if (!value) return tl::unexpected<Fault>(value.error());
    std::vector<Standing> standings;
    for (const JsonValue* lease : leases_in(*value)) {
      own_leases().add(number_in(*lease, "id"));
      Reply<Standing> standing = standing_in(*lease);
      // One that has ended already (a reset came in between) waits for who asks how it ended.
      if (!standing) standing = Standing{.id = number_in(*lease, "id")};
      standings.push_back(std::move(*standing));
    }
    if (standings.size() == wishes.size()) return standings;
    doubtful_ = true;
    for (const Standing& one : standings) own_leases().remove(one.id);
    return fault(FaultKind::kInternal, "the gpusched daemon answered for fewer than were asked");
  }

  Reply<Standing> wait(std::uint64_t id, milliseconds at_most) override {
    Reply<Standing> standing = follow("GET", fmt::format("/v1/leases/{}", id), id, at_most,
                                      [](const Standing& found) { return found.granted; });
    // No job can have that number.
    if (!standing && standing.error().kind == FaultKind::kInvalid) {
      return fault(FaultKind::kUnknown, fmt::format("there is no request {}", id));
    }
    return standing;
  }

  Reply<Standing> resume(std::uint64_t id, milliseconds at_most) override {
    return follow("POST", fmt::format("/v1/leases/{}/resume", id), id, at_most,
                  [](const Standing& standing) { return standing.granted && !standing.aside; });
  }

  Reply<void> release(std::uint64_t id) override {
    feed_.rest();
    const Reply<JsonValue> done =
        value_of(line_.call({"DELETE", fmt::format("/v1/leases/{}", id)}));
    // Not ours any more whatever came back: if nobody heard it, it is given up as a stray later.
    own_leases().remove(id);
    if (!done && done.error().kind != FaultKind::kUnknown) {
      doubtful_ = true;
      return tl::unexpected<Fault>(done.error());
    }
    return {};
  }

  Reply<void> reset() override {
    // Before the question: a doubt that comes while it is asked stays.
    const bool doubted = doubtful_.exchange(false);
    const Reply<JsonValue> done =
        value_of(line_.call({"DELETE", "/v1/leases?application=" + percent_encoded(application_)}));
    if (done) return {};
    if (doubted) doubtful_ = true;
    return tl::unexpected<Fault>(done.error());
  }

  Reply<std::vector<Standing>> live() override {
    Reply<JsonValue> value = list("mine=1");
    if (!value) return tl::unexpected<Fault>(value.error());
    std::vector<Standing> standings;
    for (const JsonValue* lease : leases_in(*value)) {
      if (Reply<Standing> standing = standing_in(*lease)) standings.push_back(std::move(*standing));
    }
    return standings;
  }

  void abandon() override {
    line_.abandon();
    feed_.abandon();
  }

 private:
  // On a line of its own: the daemon may look ahead first, and nobody's release waits for that.
  Reply<JsonValue> list(const char* whose) {
    return value_of(
        DaemonLine(sockets_).call({"GET", fmt::format("/v1/leases?{}&application={}", whose,
                                                      percent_encoded(application_))}));
  }

  // Asks how it stands, then listens until it is so, or for so long. The stream is open before the
  // question: what happens after the answer is told there.
  Reply<Standing> follow(const char* method, const std::string& target, std::uint64_t id,
                         milliseconds at_most, bool (*is_enough)(const Standing&)) {
    const Boot deadline = read_clock().boot + at_most;
    DaemonFeed::Place place(feed_, id);
    while (true) {
      std::uint64_t stream = 0;
      if (at_most.count() > 0) {
        const Result<std::uint64_t> opened = feed_.open();
        if (!opened) return fault(FaultKind::kUnavailable, opened.error().message);
        stream = *opened;
      }
      Reply<Standing> standing = standing_of_answer(line_.call({method, target}));
      DaemonFeed::Came came = DaemonFeed::Came::kLine;
      while (standing && !is_enough(*standing) && came == DaemonFeed::Came::kLine) {
        std::string line;
        if (at_most.count() <= 0) return standing;
        came = feed_.next(place, stream, deadline, line);
        if (came == DaemonFeed::Came::kLate) return standing;
        if (came == DaemonFeed::Came::kLine) standing = standing_of_line(line);
      }
      // What was told meanwhile is asked for.
      if (came == DaemonFeed::Came::kBroken && read_clock().boot < deadline) continue;
      if (!standing && means_its_end(standing.error().kind)) own_leases().remove(id);
      return standing;
    }
  }

  // After a daemon that went away in the middle of a question: what it granted to this process
  // without our knowledge goes back.
  Reply<void> give_up_strays() {
    if (!doubtful_) return {};
    const std::unique_lock nobody_asks(own_leases().asking());
    doubtful_ = false;
    Reply<JsonValue> value = list("caller=1");
    if (!value) {
      doubtful_ = true;
      return tl::unexpected<Fault>(value.error());
    }
    std::vector<std::uint64_t> strays;
    for (const JsonValue* lease : leases_in(*value)) {
      const std::uint64_t id = number_in(*lease, "id");
      if (!own_leases().contains(id)) strays.push_back(id);
    }
    for (const std::uint64_t id : strays) (void)release(id);
    return {};
  }

  const std::vector<std::string> sockets_;
  DaemonLine line_;
  DaemonFeed feed_;
  const std::string application_;
  std::atomic<bool> doubtful_{false};  // The daemon may hold something for us that nobody knows.
};

}  // namespace

std::vector<std::string> daemon_sockets(const std::string& named) {
  if (!named.empty()) return {named};
  return client_sockets(process_environment());
}

bool daemon_runs(const std::vector<std::string>& sockets) { return DaemonLine(sockets).answers(); }

std::unique_ptr<Backend> open_daemon(const std::vector<std::string>& sockets,
                                     std::string application) {
  return std::make_unique<DaemonBackend>(sockets, std::move(application));
}

}  // namespace gpusched::library
