#include "scheduler/desk.h"

#include <unistd.h>

#include <algorithm>
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
constexpr std::size_t kRequestsMost = 500;
constexpr std::uint64_t kDeskVramMost = 1ULL << 60;  // What the daemon takes for a number of bytes.
// Longer waits are taken for this: no sum with a clock may overflow.
constexpr std::chrono::milliseconds kLongest = std::chrono::hours{366 * 24};

std::chrono::milliseconds within_reason(std::chrono::milliseconds time) {
  return std::clamp(time, std::chrono::milliseconds{0}, kLongest);
}

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
  if (request.vram_bytes > kDeskVramMost) {
    const std::string much = std::to_string(request.vram_bytes);
    return Error{ErrorKind::kNeverFits,
                 invalid("no card can ever hold " + much + " bytes of VRAM").message};
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
          .timeout = within_reason(request.timeout)};
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
  Book& book = book_.get();
  const std::lock_guard lock(book.mutex);
  if (book.backend) return book.backend;
  const std::vector<std::string> sockets = library::daemon_sockets(options_.socket);
  if (way_ == Way::kOpen && options_.mode == Mode::kAuto && library::daemon_runs(sockets)) {
    way_ = Way::kDaemon;
  }
  if (options_.mode == Mode::kDaemon || way_ == Way::kDaemon) {
    book.backend = library::open_daemon(sockets, options_.application);
    return book.backend;
  }
  library::EmbeddedOptions embedded;
  embedded.application = options_.application;
  embedded.cards = facts_of(options_.cards);
  if (options_.look) embedded.look = [look = options_.look] { return facts_of(look()); };
  embedded.look_every = within_reason(options_.look_every);
  embedded.cpus = options_.cpus;
  embedded.lock_path = options_.lock_path;
  auto opened = library::open_embedded(embedded);
  if (!opened) return error_of(opened.error());
  way_ = Way::kEmbedded;
  book.backend = std::move(*opened);
  return book.backend;
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
  scheduling.process_ = ::getpid();
  scheduling.cards_.reserve(standing.cards.size());
  for (const library::HeldCard& card : standing.cards) {
    scheduling.cards_.push_back({card.number, card.uuid, card.vram_bytes, card.share_percent});
  }
  return scheduling;
}

Outcome<std::vector<Scheduling>> Desk::ask(const std::vector<GpuRequest>& requests) {
  if (requests.size() > kRequestsMost) {
    return Error{ErrorKind::kInvalid, "one call may ask for at most 500 requests, this one has " +
                                          std::to_string(requests.size())};
  }
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
      Book& book = book_.get();
      const std::lock_guard lock(book.mutex);
      book.entries[RequestId{standing.id}] = Entry{requests[i], standing.granted};
    }
    schedulings.push_back(scheduling_of(standing, requests[i], true));
  }
  return schedulings;
}

Outcome<Scheduling> Desk::wait(RequestId id, std::chrono::milliseconds at_most) {
  auto backend = this->backend();
  if (!backend) return backend.error();
  Book& book = book_.get();
  at_most = within_reason(at_most);
  {
    const std::lock_guard lock(book.mutex);
    const auto entry = book.entries.find(id);
    if (entry != book.entries.end() && entry->second.taken) {
      return Error{ErrorKind::kTaken, "this scheduling was handed out already"};
    }
    // Not one of ours, or no more: how it ended is all that can be asked.
    if (entry == book.entries.end()) at_most = std::chrono::milliseconds{0};
  }
  auto standing = backend.value()->wait(static_cast<std::uint64_t>(id), at_most);
  const std::lock_guard lock(book.mutex);
  const auto entry = book.entries.find(id);
  if (!standing) {
    // Unavailable says nothing about the request.
    if (standing.error().kind != FaultKind::kUnavailable && entry != book.entries.end())
      book.entries.erase(entry);
    return error_of(standing.error());
  }
  if (entry == book.entries.end()) {
    return Error{ErrorKind::kUnknown, "this scheduler has no such request"};
  }
  if (!standing->granted) {
    const std::string why = standing->reason.empty() ? "" : ": " + standing->reason;
    return Error{ErrorKind::kNotYet, "it is not granted yet; it goes on waiting" + why};
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
  auto standing = backend.value()->resume(static_cast<std::uint64_t>(id), within_reason(at_most));
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
  Book& book = book_.get();
  const std::lock_guard lock(book.mutex);
  book.entries.erase(id);
  return {};
}

Outcome<void> Desk::reset() {
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto done = backend.value()->reset();
  if (!done) return error_of(done.error());
  Book& book = book_.get();
  const std::lock_guard lock(book.mutex);
  book.entries.clear();
  return {};
}

Outcome<std::vector<Scheduling>> Desk::current() {
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto live = backend.value()->live();
  if (!live) return error_of(live.error());
  std::vector<Scheduling> schedulings;
  Book& book = book_.get();
  const std::lock_guard lock(book.mutex);
  for (const Standing& standing : *live) {
    if (!standing.granted) continue;
    const auto entry = book.entries.find(RequestId{standing.id});
    const bool own = entry != book.entries.end();
    schedulings.push_back(
        scheduling_of(standing, own ? entry->second.request : request_of(standing.wish), false));
  }
  return schedulings;
}

Outcome<std::vector<WaitingGpu>> Desk::waiting() {
  auto backend = this->backend();
  if (!backend) return backend.error();
  auto live = backend.value()->live();
  if (!live) return error_of(live.error());
  std::vector<WaitingGpu> list;
  Book& book = book_.get();
  const std::lock_guard lock(book.mutex);
  for (const Standing& standing : *live) {
    if (standing.granted) continue;
    const auto entry = book.entries.find(RequestId{standing.id});
    const bool own = entry != book.entries.end();
    list.push_back({.id = RequestId{standing.id},
                    .request = own ? entry->second.request : request_of(standing.wish),
                    .reason = standing.reason,
                    .position = standing.position,
                    .estimated_start = standing.estimated_start});
  }
  return list;
}

void Desk::leave() {
  std::vector<RequestId> waiting;
  {
    Book& book = book_.get();
    const std::lock_guard lock(book.mutex);
    for (const auto& [id, entry] : book.entries) {
      if (!entry.taken) waiting.push_back(id);
    }
  }
  for (const RequestId id : waiting) (void)release(id);
}

}  // namespace gpusched::v1::detail
