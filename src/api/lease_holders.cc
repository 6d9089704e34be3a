#include "api/lease_holders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/text.h"
#include "core/access/rights.h"
#include "core/model/kind.h"
#include "core/model/program.h"
#include "core/model/signature.h"
#include "http/peer_process.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

// Watches without a lease are kept for the next one of the same process, up to so many.
constexpr std::size_t kIdleWatchesMost = 256;

// What a failed look at a process means: that it is gone, or nothing at all.
Error no_look(int pid, int error) {
  if (error == ESRCH || error == ENOENT) {
    return {ErrorCode::kNotFound, fmt::format("there is no process {}", pid)};
  }
  const bool short_of_it = error == EMFILE || error == ENFILE || error == ENOMEM;
  return {short_of_it ? ErrorCode::kBusy : ErrorCode::kUnsupported,
          fmt::format("watch process {}: {}", pid, std::strerror(error))};
}

std::optional<std::uint32_t> user_of(int pid) {
  struct stat about {};
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &about) != 0) return std::nullopt;
  return about.st_uid;
}

// The beginning of its command line is enough to know the program.
std::vector<std::string> words_of(int pid) {
  const std::string text = read_small_file(fmt::format("/proc/{}/cmdline", pid), 4096);
  std::string_view rest = text;
  std::vector<std::string> words;
  while (!rest.empty()) words.emplace_back(take_until(rest, '\0'));
  return words;
}

std::string directory_of(int pid) {
  std::array<char, 4096> path{};
  const ssize_t size =
      ::readlink(fmt::format("/proc/{}/cwd", pid).c_str(), path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

std::string program_of(int pid) {
  std::string program = program_of_command(words_of(pid), directory_of(pid));
  program.resize(std::min(program.size(), Signature::kCommandMost));
  // It is kept as text, and a path may have any bytes.
  std::ranges::replace_if(
      program, [](char c) { return c < ' ' || c > '~'; }, '?');
  return program;
}

}  // namespace

struct LeaseHolders::Process {
  Process(boost::asio::io_context& loop, int descriptor) : end(loop, descriptor) {}
  boost::asio::posix::stream_descriptor end;
  std::uint64_t started = 0;
  std::uint32_t uid = 0;
  std::string program;
  std::set<JobId> leases;
};

LeaseHolders::LeaseHolders(boost::asio::io_context& loop, Engine& engine,
                           std::chrono::milliseconds grace)
    : loop_(loop), engine_(engine), grace_(grace) {}
LeaseHolders::~LeaseHolders() = default;

Result<std::uint64_t> LeaseHolders::watch(int pid, const Principal& actor, Fd asker) {
  const auto refuse_user = [&](std::uint32_t owner) -> Result<std::uint64_t> {
    return failure(ErrorCode::kForbidden,
                   fmt::format("process {} belongs to user {}; a lease is held by a process of "
                               "one's own",
                               pid, owner));
  };
  const bool asks_itself = asker.valid();
  const auto may_name = [&](std::uint32_t owner) {
    return asks_itself || may(actor, Action::kHoldLease, {.uid = owner});
  };
  // First the descriptor, then the start: what is read is of the process that is watched.
  Fd descriptor =
      asks_itself ? std::move(asker) : Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!descriptor) return failure(no_look(pid, errno));
  const auto started = start_of_process(pid);
  if (!started) return failure(no_look(pid, errno));
  const auto owner = user_of(pid);
  if (!owner || process_has_ended(descriptor)) return failure(no_look(pid, ESRCH));
  const auto known = processes_.find(pid);
  if (known != processes_.end() && known->second->started != *started) ended(pid);
  if (const auto same = processes_.find(pid); same != processes_.end()) {
    if (!may_name(same->second->uid)) return refuse_user(same->second->uid);
    return same->second->started;
  }
  if (!may_name(*owner)) return refuse_user(*owner);
  auto process = std::make_shared<Process>(loop_, descriptor.release());
  process->started = *started;
  process->uid = asks_itself ? actor.account() : *owner;
  process->program = program_of(pid);
  if (processes_.size() >= kIdleWatchesMost) {
    std::erase_if(processes_, [](const auto& entry) { return entry.second->leases.empty(); });
  }
  processes_[pid] = process;
  process->end.async_wait(
      boost::asio::posix::stream_descriptor::wait_read,
      [this, pid, weak = std::weak_ptr(process)](const boost::system::error_code& fault) {
        if (!fault && weak.lock()) ended(pid);
      });
  return process->started;
}

std::string LeaseHolders::program_of_process(int pid) const {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) return known->second->program;
  return pid > 0 ? program_of(pid) : std::string();
}

void LeaseHolders::ended(int pid) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  const std::shared_ptr<Process> process = std::move(found->second);
  processes_.erase(found);
  for (const JobId lease : process->leases) {
    process_of_.erase(lease);
    engine_.post(LeaseHolderGone{lease, fmt::format("its holder, process {}, has ended", pid)});
  }
}

void LeaseHolders::look(const std::vector<JobChange>& changes) {
  for (const JobChange& change : changes) look_at(change.job);
}

void LeaseHolders::look_at_all() {
  for (const JobId id : engine_.state().leases().live()) look_at(id);
}

void LeaseHolders::look_at(JobId id) {
  const Job* job = engine_.state().find(id);
  if (job != nullptr && !kind_of(*job).has_holder) return;
  if (job == nullptr || job->ended()) return let_go(id);
  const LeaseTerms& terms = *job->spec->lease;
  if (terms.by_connection) {
    if (!connections_.contains(id)) await_return(id);
    return;
  }
  if (process_of_.contains(id)) return;
  const auto known = processes_.find(terms.pid);
  // Its end, should it have come meanwhile, will be told: nothing has to be asked of the kernel.
  if (known != processes_.end() && known->second->started == terms.pid_started) {
    known->second->leases.insert(id);
    process_of_[id] = terms.pid;
    return;
  }
  const auto started = watch(terms.pid, ourselves());
  if (!started && started.error().code == ErrorCode::kBusy) return look_again(id);
  if (!started || *started != terms.pid_started) {
    engine_.post(LeaseHolderGone{id, fmt::format("its holder, process {}, has ended", terms.pid)});
    return;
  }
  processes_.at(terms.pid)->leases.insert(id);
  process_of_[id] = terms.pid;
}

// A process that could not be looked at is not known to be gone.
void LeaseHolders::look_again(JobId lease) {
  constexpr std::chrono::seconds kPause{1};
  auto timer = std::make_unique<boost::asio::steady_timer>(loop_, kPause);
  timer->async_wait([this, lease](const boost::system::error_code& cancelled) {
    if (!cancelled && returns_.erase(lease) > 0) look_at(lease);
  });
  returns_[lease] = std::move(timer);
}

void LeaseHolders::let_go(JobId lease) {
  returns_.erase(lease);
  connections_.erase(lease);
  const auto pid = process_of_.find(lease);
  if (pid == process_of_.end()) return;
  const auto process = processes_.find(pid->second);
  if (process != processes_.end()) process->second->leases.erase(lease);
  process_of_.erase(pid);
}

void LeaseHolders::attach(JobId lease) {
  ++connections_[lease];
  returns_.erase(lease);
}

void LeaseHolders::detach(JobId lease) {
  const auto found = connections_.find(lease);
  if (found == connections_.end() || --found->second > 0) return;
  connections_.erase(found);
  const Job* job = engine_.state().find(lease);
  if (job != nullptr && !job->ended() && job->spec->lease->by_connection) await_return(lease);
}

void LeaseHolders::await_return(JobId lease) {
  if (returns_.contains(lease)) return;
  auto timer = std::make_unique<boost::asio::steady_timer>(loop_, grace_);
  timer->async_wait([this, lease](const boost::system::error_code& cancelled) {
    if (cancelled || returns_.erase(lease) == 0) return;
    engine_.post(
        LeaseHolderGone{lease, "its holder's connection ended, and it did not come back", true});
  });
  returns_[lease] = std::move(timer);
}

}  // namespace gpusched
