#include "scheduler/daemon_backend.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/locations.h"
#include "base/result.h"
#include "base/text.h"
#include "core/time.h"
#include "json/json_value.h"
#include "json/json_writer.h"
#include "scheduler/daemon_line.h"

namespace gpusched::library {
namespace {

using std::chrono::milliseconds;

// One question of a long wait; a daemon that says nothing for longer is gone.
constexpr milliseconds kOnePoll{20'000};
constexpr int kPollsMost = 24;
constexpr milliseconds kBetweenAsks{50};
// The most that every user may ask for, unless an administrator says otherwise; before all that is
// not critical, whose priority is the default.
constexpr int kCriticalPriority = 84;

std::string text_in(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* text = field == nullptr ? nullptr : field->as<std::string>();
  return text == nullptr ? std::string() : *text;
}
std::uint64_t number_in(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* number = field == nullptr ? nullptr : field->as<std::uint64_t>();
  return number == nullptr ? 0 : *number;
}

FaultKind kind_of(const std::string& code) {
  if (code == "never_fits") return FaultKind::kNeverFits;
  if (code == "not_found") return FaultKind::kUnknown;
  if (code == "internal") return FaultKind::kInternal;
  if (code == "busy" || code == "unavailable" || code == "storage_full" || code == "io") {
    return FaultKind::kUnavailable;
  }
  return FaultKind::kInvalid;
}

Reply<JsonValue> value_of(const Reply<DaemonAnswer>& answer) {
  if (!answer) return tl::unexpected<Fault>(answer.error());
  auto value = parse_json(answer->body);
  if (!value) return fault(FaultKind::kInternal, "the gpusched daemon's answer cannot be read");
  if (answer->status < 300) return std::move(*value);
  const JsonValue* error = value->find("error");
  if (error == nullptr) return fault(FaultKind::kInternal, answer->body);
  return fault(kind_of(text_in(*error, "code")), text_in(*error, "message"));
}

// A lease that has ended is a fault.
Reply<Standing> standing_in(const JsonValue& lease) {
  Standing standing;
  standing.id = number_in(lease, "id");
  const std::string state = text_in(lease, "state");
  standing.aside = state == "pausing" || state == "paused" || state == "resuming";
  standing.granted = state == "running" || standing.aside;
  standing.wish.name = text_in(lease, "name");
  standing.wish.critical = number_in(lease, "priority") >= kCriticalPriority;
  if (!standing.granted && state != "queued" && state != "held") {
    const std::string message = text_in(lease, "message");
    const std::string cause = text_in(lease, "cause");
    if (cause == "expired") {
      return fault(FaultKind::kTimeout, "it was not granted within its timeout");
    }
    if (cause == "gpu_lost") return fault(FaultKind::kCardLost, "a card of it failed");
    if (message.starts_with("reset")) return fault(FaultKind::kReset, "the scheduler was reset");
    return fault(FaultKind::kUnknown,
                 fmt::format("it has ended: {}", message.empty() ? state : message));
  }
  standing.cpus = static_cast<int>(number_in(lease, "cpus"));
  const JsonValue* gpus = lease.find("gpus");
  const auto* cards = gpus == nullptr ? nullptr : gpus->as<JsonArray>();
  for (const JsonValue& card : cards == nullptr ? JsonArray{} : *cards) {
    standing.cards.push_back({static_cast<int>(number_in(card, "number")), text_in(card, "uuid"),
                              number_in(card, "vram_bytes"),
                              static_cast<int>(number_in(card, "share_percent"))});
  }
  if (const JsonValue* environment = lease.find("environment")) {
    standing.devices = text_in(*environment, "CUDA_VISIBLE_DEVICES");
  }
  standing.wish.gpus = standing.granted ? static_cast<int>(standing.cards.size()) : 1;
  standing.reason = text_in(lease, "reason");
  standing.position = static_cast<int>(number_in(lease, "position"));
  if (const auto start = parse_rfc3339(text_in(lease, "estimated_start"))) {
    standing.estimated_start = std::chrono::system_clock::time_point(start->time_since_epoch());
  }
  return standing;
}

Reply<Standing> standing_of_answer(const Reply<DaemonAnswer>& answer) {
  Reply<JsonValue> value = value_of(answer);
  if (!value) return tl::unexpected<Fault>(value.error());
  const JsonValue* lease = value->find("lease");
  if (lease == nullptr) return fault(FaultKind::kInternal, "the daemon's answer has no lease");
  return standing_in(*lease);
}

const char* word_of(MayUseCpus use) {
  switch (use) {
    case MayUseCpus::kNever:
      return "never";
    case MayUseCpus::kPrefer:
      return "prefer";
    case MayUseCpus::kFallback:
      return "fallback";
  }
  return "never";
}

std::string body_of(const Wish& wish, const std::string& application) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().field("name", wish.name).field("gpus", wish.gpus);
  json.field("vram_bytes", wish.vram_bytes).field("share_percent", wish.share_percent);
  json.field("cpu_use", word_of(wish.cpus)).field("application", application);
  if (wish.critical) json.field("priority", kCriticalPriority);
  json.field("placement", "round-robin");
  json.field("wait_at_most_ms", static_cast<std::uint64_t>(wish.timeout.count())).end_object();
  return body;
}

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

 private:
  std::shared_mutex asking_;
  std::mutex mutex_;
  std::set<std::uint64_t> ids_;
};
OwnLeases& own_leases() {
  static OwnLeases* all = new OwnLeases;  // Never destroyed: schedulings may outlive main().
  return *all;
}

class DaemonBackend final : public Backend {
 public:
  DaemonBackend(std::vector<std::string> sockets, std::string application)
      : line_(std::move(sockets)), application_(std::move(application)) {}

  Reply<std::vector<Standing>> ask(const std::vector<Wish>& wishes) override {
    if (Reply<void> known = give_up_strays(); !known) return tl::unexpected<Fault>(known.error());
    std::vector<Standing> standings;
    standings.reserve(wishes.size());
    for (const Wish& wish : wishes) {
      Reply<Standing> standing = ask_one(wish);
      if (!standing) {
        for (const Standing& one : standings) (void)release(one.id);
        Fault why = standing.error();
        if (!wish.name.empty()) why.message = wish.name + ": " + why.message;
        return tl::unexpected<Fault>(std::move(why));
      }
      standings.push_back(std::move(*standing));
    }
    return standings;
  }

  Reply<Standing> wait(std::uint64_t id, milliseconds at_most) override {
    return poll("GET", fmt::format("/v1/leases/{}", id), at_most,
                [](const Standing& standing) { return standing.granted; });
  }

  Reply<Standing> resume(std::uint64_t id, milliseconds at_most) override {
    return poll("POST", fmt::format("/v1/leases/{}/resume", id), at_most,
                [](const Standing& standing) { return standing.granted && !standing.aside; });
  }

  Reply<void> release(std::uint64_t id) override {
    const Reply<JsonValue> done =
        value_of(line_.call("DELETE", fmt::format("/v1/leases/{}", id), ""));
    // Not ours any more whatever came back: if nobody heard it, it is given up as a stray later.
    own_leases().remove(id);
    if (!done && done.error().kind != FaultKind::kUnknown) {
      doubtful_ = true;
      return tl::unexpected<Fault>(done.error());
    }
    return {};
  }

  Reply<void> reset() override {
    const Reply<JsonValue> done =
        value_of(line_.call("DELETE", "/v1/leases?application=" + url_encoded(application_), ""));
    if (!done) return tl::unexpected<Fault>(done.error());
    doubtful_ = false;
    return {};
  }

  Reply<std::vector<Standing>> live() override {
    Reply<JsonValue> value = value_of(
        line_.call("GET", "/v1/leases?mine=1&application=" + url_encoded(application_), ""));
    if (!value) return tl::unexpected<Fault>(value.error());
    std::vector<Standing> standings;
    const JsonValue* leases = value->find("leases");
    const auto* list = leases == nullptr ? nullptr : leases->as<JsonArray>();
    for (const JsonValue& lease : list == nullptr ? JsonArray{} : *list) {
      if (Reply<Standing> standing = standing_in(lease)) standings.push_back(std::move(*standing));
    }
    return standings;
  }

 private:
  // Asks until it is so, or for so long.
  Reply<Standing> poll(const char* method, const std::string& target, milliseconds at_most,
                       bool (*settled)(const Standing&)) {
    const Boot begin = read_clock().boot;
    while (true) {
      const auto waited = std::chrono::duration_cast<milliseconds>(read_clock().boot - begin);
      const milliseconds left = waited >= at_most ? milliseconds{0} : at_most - waited;
      // A daemon takes so many connections of one user; who finds no place asks now and then.
      const bool place = polls_.fetch_add(1) < kPollsMost;
      const milliseconds most = place ? std::min(left, kOnePoll) : milliseconds{0};
      Reply<Standing> standing =
          standing_of_answer(line_.call(method, fmt::format("{}?wait_ms={}", target, most.count()),
                                        "", most + milliseconds{30'000}));
      polls_.fetch_sub(1);
      if (!standing || settled(*standing) || left <= most) return standing;
      if (!place) std::this_thread::sleep_for(std::min(left, kBetweenAsks));
    }
  }

  Reply<Standing> ask_one(const Wish& wish) {
    const std::shared_lock asking(own_leases().asking());
    const Reply<DaemonAnswer> answer =
        line_.call("POST", "/v1/leases", body_of(wish, application_));
    Reply<Standing> standing = standing_of_answer(answer);
    // It may have been granted although nobody heard of it.
    if (!answer) doubtful_ = true;
    if (standing) own_leases().add(standing->id);
    return standing;
  }

  // After a daemon that went away in the middle of a question: what it granted to this process
  // without our knowledge goes back.
  Reply<void> give_up_strays() {
    if (!doubtful_) return {};
    const std::unique_lock nobody_asks(own_leases().asking());
    Reply<JsonValue> value = value_of(
        line_.call("GET", "/v1/leases?mine=1&application=" + url_encoded(application_), ""));
    if (!value) return tl::unexpected<Fault>(value.error());
    const JsonValue* leases = value->find("leases");
    const auto* list = leases == nullptr ? nullptr : leases->as<JsonArray>();
    std::vector<std::uint64_t> strays;
    for (const JsonValue& lease : list == nullptr ? JsonArray{} : *list) {
      const std::uint64_t id = number_in(lease, "id");
      const bool own = number_in(lease, "pid") == static_cast<std::uint64_t>(::getpid());
      if (own && !own_leases().contains(id)) strays.push_back(id);
    }
    doubtful_ = false;
    for (const std::uint64_t id : strays) (void)release(id);
    return {};
  }

  DaemonLine line_;
  const std::string application_;
  std::atomic<bool> doubtful_{false};  // The daemon may hold something for us that nobody knows.
  std::atomic<int> polls_{0};
};

}  // namespace

std::vector<std::string> daemon_sockets(const std::string& named) {
  if (!named.empty()) return {named};
  return client_sockets(process_environment());
}

bool daemon_runs(const std::vector<std::string>& sockets) { return DaemonLine(sockets).answers(); }

std::unique_ptr<Backend> open_daemon(std::vector<std::string> sockets, std::string application) {
  return std::make_unique<DaemonBackend>(std::move(sockets), std::move(application));
}

}  // namespace gpusched::library
