#include "scheduler/desk.h"

#include <cerrno>
#include <utility>

#include "scheduler/daemon_backend.h"
#include "scheduler/embedded.h"

namespace gpusched::v1::detail {
namespace {

using library::Fault;
using library::FaultKind;
using library::Standing;
using library::Wish;

constexpr int kMostCards = 4096;
constexpr std::size_t kNameMost = 200;

Error error_of(const Fault& fault) {
  const auto with = [&](ErrorKind kind) { return Error{kind, fault.message}; };
  switch (fault.kind) {
    case FaultKind::kInvalid:
      return with(ErrorKind::kInvalid);
    case FaultKind::kNeverFits:
      return with(ErrorKind::kNeverFits);
    case FaultKind::kTimeout:
      return with(ErrorKind::kTimeout);
    case FaultKind::kReset:
      return with(ErrorKind::kReset);
    case FaultKind::kUnknown:
      return with(ErrorKind::kUnknown);
    case FaultKind::kCardLost:
      return with(ErrorKind::kCardLost);
    case FaultKind::kUnavailable:
      return with(ErrorKind::kUnavailable);
    case FaultKind::kInternal:
      return with(ErrorKind::kInternal);
  }
  return with(ErrorKind::kInternal);
}

std::optional<Error> error_in(const GpuRequest& request) {
  const auto invalid = [&](const std::string& what) {
    const std::string who = request.name.empty() ? std::string("a request") : request.name;
    return Error{ErrorKind::kInvalid, who + ": " + what};
  };
  if (request.name.size() > kNameMost) return Error{ErrorKind::kInvalid, "a name is too long"};
  if (request.gpus < 1 || request.gpus > kMostCards) return invalid("gpus must be 1 to 4096");
  if (request.share_percent < 0 || request.share_percent > 100) {
    return invalid("share_percent must be 0 to 100");
  }
  if (request.timeout.count() < 0) return invalid("timeout must not be negative");
  return std::nullopt;
}

Wish wish_of(const GpuRequest& request) {
  return {.name = request.name,
          .gpus = request.gpus,
          .vram_bytes = request.vram_bytes,
          .share_percent = request.share_percent,
          .critical = request.critical,
          .cpus = static_cast<library::MayUseCpus>(request.cpu),
          .timeout = request.timeout};
}

GpuRequest request_of(const Wish& wish) {
  GpuRequest request;
  request.name = wish.name;
  request.gpus = wish.gpus;
  request.vram_bytes = wish.vram_bytes;
  request.share_percent = wish.share_percent;
  request.critical = wish.critical;
  request.cpu = static_cast<CpuUse>(wish.cpus);
  return request;
}

std::vector<library::CardFact> facts_of(const std::vector<CardReport>& cards) {
  std::vector<library::CardFact> facts;
  facts.reserve(cards.size());
  for (const CardReport& card : cards) {
    facts.push_back(
        {card.number, card.uuid, card.model, card.vram_bytes, card.used_bytes, card.usable});
  }
  return facts;
}

SchedulerOptions completed(SchedulerOptions options) {
  if (options.application.empty()) options.application = program_invocation_short_name;
  return options;
}

}  // namespace

Desk::Desk(SchedulerOptions options) : options_(completed(std::move(options))) {}

// Once joined it stays: to schedule beside a daemon that is away for a moment would hand its cards
// out twice.
Outcome<std::shared_ptr<library::Backend>> Desk::backend() {
  const std::lock_guard lock(mutex_);
  if (backend_) return backend_;
  const std::vector<std::string> sockets = library::daemon_sockets(options_.socket);
  const bool daemon = options_.mode == Mode::kDaemon ||
                      (options_.mode == Mode::kAuto && library::daemon_runs(sockets));
  if (daemon) {
    backend_ = library::open_daemon(sockets, options_.application);
    return backend_;
  }
  library::EmbeddedOptions embedded;
  embedded.application = options_.application;
  embedded.cards = facts_of(options_.cards);
  if (options_.look) embedded.look = [look = options_.look] { return facts_of(look()); };
  embedded.look_every = options_.look_every;
  embedded.cpus = options_.cpus;
  embedded.lock_path = options_.lock_path;
  auto opened = library::open_embedded(embedded);
  if (!opened) return error_of(opened.error());
  backend_ = std::move(*opened);
  return backend_;
}

Scheduling Desk::scheduling_of(const Standing& standing, GpuRequest request, bool owns) {
  Scheduling scheduling;
  scheduling.desk_ = shared_from_this();
  scheduling.id_ = RequestId{standing.id};
  scheduling.request_ = std::move(request);
  scheduling.granted_ = standing.granted;
  scheduling.owns_ = owns && standing.granted;
  scheduling.cpus_ = standing.cpus;
  scheduling.devices_ = standing.devices;
  scheduling.cards_.reserve(standing.cards.size());
  for (const library::HeldCard& card : standing.cards) {
    scheduling.cards_.push_back({card.number, card.uuid, card.vram_bytes, card.share_percent});
  }
  return scheduling;
}

Outcome<std::vector<Scheduling>> Desk::ask(const std::vector<GpuRequest>& requests) {
  std::vector<Wish> wishes;
  wishes.reserve(requests.size());
  for (const GpuRequest& request : requests) {
    if (auto error = error_in(request)) return *error;
    wishes.push_back(wish_of(request));
  }
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto standings = backend.value()->ask(wishes);
  if (!standings) return error_of(standings.error());
  std::vector<Scheduling> schedulings;
  schedulings.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Standing& standing = (*standings)[i];
    {
      const std::lock_guard lock(mutex_);
      book_[RequestId{standing.id}] = Entry{requests[i], standing.granted};
    }
    schedulings.push_back(scheduling_of(standing, requests[i], true));
  }
  return schedulings;
}

Outcome<Scheduling> Desk::wait(RequestId id, std::chrono::milliseconds at_most) {
  auto backend = this->backend();
  if (!backend) return backend.error();
  {
    const std::lock_guard lock(mutex_);
    const auto entry = book_.find(id);
    if (entry != book_.end() && entry->second.taken) {
      return Error{ErrorKind::kTaken, "this scheduling was handed out already"};
    }
    // Not one of ours, or no more: how it ended is all that can be asked.
    if (entry == book_.end()) at_most = std::chrono::milliseconds{0};
  }
  auto standing = backend.value()->wait(static_cast<std::uint64_t>(id), at_most);
  const std::lock_guard lock(mutex_);
  const auto entry = book_.find(id);
  if (!standing) {
    // Unavailable says nothing about the request.
    if (standing.error().kind != FaultKind::kUnavailable && entry != book_.end())
      book_.erase(entry);
    return error_of(standing.error());
  }
  if (entry == book_.end()) {
    return Error{ErrorKind::kUnknown, "this scheduler has no such request"};
  }
  if (!standing->granted) {
    return Error{ErrorKind::kNotYet, "it is not granted yet; it goes on waiting"};
  }
  if (entry->second.taken) {
    return Error{ErrorKind::kTaken, "this scheduling was handed out already"};
  }
  entry->second.taken = true;
  return scheduling_of(*standing, entry->second.request, true);
}

Outcome<void> Desk::check(RequestId id) {
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto standing =
      backend.value()->wait(static_cast<std::uint64_t>(id), std::chrono::milliseconds{0});
  if (!standing) return error_of(standing.error());
  return {};
}

Outcome<void> Desk::resume(RequestId id, std::chrono::milliseconds at_most) {
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto standing = backend.value()->resume(static_cast<std::uint64_t>(id), at_most);
  if (!standing) return error_of(standing.error());
  if (!standing->granted) return Error{ErrorKind::kNotYet, "it is not granted yet"};
  if (standing->aside) {
    return Error{ErrorKind::kNotYet, "there is no room on its cards yet; it returns when there is"};
  }
  return {};
}

Outcome<void> Desk::release(RequestId id) {
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto done = backend.value()->release(static_cast<std::uint64_t>(id));
  if (!done) return error_of(done.error());
  const std::lock_guard lock(mutex_);
  book_.erase(id);
  return {};
}

Outcome<void> Desk::reset() {
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto done = backend.value()->reset();
  if (!done) return error_of(done.error());
  const std::lock_guard lock(mutex_);
  book_.clear();
  return {};
}

std::vector<Scheduling> Desk::current() {
  std::vector<Scheduling> schedulings;
  auto backend = this->backend();
  if (!backend) return schedulings;
  auto live = backend.value()->live();
  if (!live) return schedulings;
  const std::lock_guard lock(mutex_);
  for (const Standing& standing : *live) {
    if (!standing.granted) continue;
    const auto entry = book_.find(RequestId{standing.id});
    schedulings.push_back(scheduling_of(
        standing, entry == book_.end() ? request_of(standing.wish) : entry->second.request, false));
  }
  return schedulings;
}

std::vector<WaitingGpu> Desk::waiting() {
  std::vector<WaitingGpu> list;
  auto backend = this->backend();
  if (!backend) return list;
  auto live = backend.value()->live();
  if (!live) return list;
  const std::lock_guard lock(mutex_);
  for (const Standing& standing : *live) {
    if (standing.granted) continue;
    const auto entry = book_.find(RequestId{standing.id});
    list.push_back(
        {.id = RequestId{standing.id},
         .request = entry == book_.end() ? request_of(standing.wish) : entry->second.request,
         .reason = standing.reason,
         .position = standing.position,
         .estimated_start = standing.estimated_start});
  }
  return list;
}

void Desk::leave() {
  std::vector<RequestId> waiting;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : book_) {
      if (!entry.taken) waiting.push_back(id);
    }
  }
  for (const RequestId id : waiting) (void)release(id);
}

}  // namespace gpusched::v1::detail
