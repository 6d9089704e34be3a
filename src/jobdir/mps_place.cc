#include "jobdir/mps_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "jobdir/job_directory.h"
#include "jobdir/process_tree.h"
#include "jobdir/record.h"

namespace gpusched {
namespace {

constexpr off_t kKeeperByte = 0;
constexpr off_t kUsersByte = 1;
constexpr off_t kTurnByte = 2;
constexpr std::size_t kProcessesMost = 64;
constexpr std::size_t kVariablesMost = 64;

struct flock byte_lock(short type, off_t byte) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

// Of the open file, not of the process: a child that execs does not drop it.
bool take_byte(int file, short type, off_t byte) {
  struct flock lock = byte_lock(type, byte);
  return ::fcntl(file, F_OFD_SETLK, &lock) == 0;
}
bool byte_is_taken(int file, off_t byte) {
  struct flock lock = byte_lock(F_WRLCK, byte);
  return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool make_directory(const std::string& path) {
  return ::mkdir(path.c_str(), 0711) == 0 || errno == EEXIST;
}

std::string value_of(const Record& record, const std::string& key) {
  const std::string* value = record.find(key);
  return value == nullptr ? std::string() : *value;
}

constexpr std::pair<MpsServer::Phase, const char*> kMpsPhases[] = {
    {MpsServer::Phase::kReady, "ready"},
    {MpsServer::Phase::kFailed, "failed"},
    {MpsServer::Phase::kEnded, "ended"}};

}  // namespace

std::string write_mps_plan(const MpsPlan& plan) {
  Record record;
  record.set("uuid", plan.uuid);
  record.set("program", plan.program);
  record.set("uid", std::int64_t{plan.owner.uid});
  record.set("gid", std::int64_t{plan.owner.gid});
  record.set("user", plan.owner.user);
  record.set("linger", plan.linger.count());
  for (std::size_t i = 0; i < plan.variables.size(); ++i) {
    record.set("variable_" + std::to_string(i), plan.variables[i]);
  }
  return record.write();
}

Result<MpsPlan> parse_mps_plan(std::string_view text) {
  const auto record = Record::parse(text);
  if (!record) return failure(record.error());
  MpsPlan plan;
  plan.uuid = value_of(*record, "uuid");
  plan.program = value_of(*record, "program");
  const auto uid = record->number("uid");
  const auto gid = record->number("gid");
  if (!uid || !gid || plan.uuid.empty() || plan.program.empty()) {
    return failure(ErrorCode::kIo, "the order of an MPS server lacks something");
  }
  plan.owner = {static_cast<std::uint32_t>(*uid), static_cast<std::uint32_t>(*gid),
                value_of(*record, "user")};
  plan.linger = Seconds{record->number("linger").value_or(0)};
  for (std::size_t i = 0; i < kVariablesMost; ++i) {
    const std::string* value = record->find("variable_" + std::to_string(i));
    if (value == nullptr) break;
    plan.variables.push_back(*value);
  }
  return plan;
}

std::string write_mps_server(const MpsServer& server) {
  Record record;
  for (const auto& [phase, word] : kMpsPhases) {
    if (phase == server.phase) record.set("phase", std::string_view(word));
  }
  if (!server.why.empty()) record.set("why", server.why);
  record.set("at", server.at.time_since_epoch().count());
  for (std::size_t i = 0; i < server.processes.size(); ++i) {
    record.set("pid_" + std::to_string(i), std::int64_t{server.processes[i].pid});
    record.set("started_" + std::to_string(i),
               server.processes[i].started.time_since_epoch().count());
  }
  return record.write();
}

Result<MpsServer> parse_mps_server(std::string_view text) {
  const auto record = Record::parse(text);
  if (!record) return failure(record.error());
  MpsServer server;
  const std::string word = value_of(*record, "phase");
  const auto known =
      std::ranges::find_if(kMpsPhases, [&](const auto& entry) { return word == entry.second; });
  if (known == std::end(kMpsPhases)) {
    return failure(ErrorCode::kIo, "the record of an MPS server says nothing known");
  }
  server.phase = known->first;
  server.why = value_of(*record, "why");
  server.at = Wall{Microseconds{record->number("at").value_or(0)}};
  for (std::size_t i = 0; i < kProcessesMost; ++i) {
    const auto pid = record->number("pid_" + std::to_string(i));
    const auto started = record->number("started_" + std::to_string(i));
    if (!pid || !started || *pid < 2) break;
    server.processes.push_back({static_cast<pid_t>(*pid), Boot{Microseconds{*started}}});
  }
  return server;
}

std::string mps_directory(const std::string& state_directory) { return state_directory + "/mps"; }

std::string mps_place_name(std::uint32_t uid, CardNumber card, int number) {
  return std::to_string(uid) + "-" + std::to_string(number_of(card)) + "." + std::to_string(number);
}

Result<MpsPlace> MpsPlace::open(const std::string& state_directory, const std::string& name) {
  MpsPlace place;
  place.name_ = name;
  place.path_ = mps_directory(state_directory) + "/" + name;
  if (make_directory(mps_directory(state_directory)) && make_directory(place.path_)) {
    place.directory_.reset(
        ::open(place.path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (place.directory_) {
    place.lock_.reset(
        ::openat(place.directory(), "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  }
  if (!place.lock_) {
    return failure(ErrorCode::kIo, "make " + place.path_ + ": " + std::strerror(errno));
  }
  return place;
}

std::vector<std::string> MpsPlace::list(const std::string& state_directory) {
  std::vector<std::string> names;
  DIR* directory = ::opendir(mps_directory(state_directory).c_str());
  if (directory == nullptr) return names;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') names.emplace_back(entry->d_name);
  }
  ::closedir(directory);
  std::ranges::sort(names);
  return names;
}

bool MpsPlace::is_there() const {
  struct stat about {};
  return ::fstat(lock_.get(), &about) == 0 && about.st_nlink > 0;
}

bool MpsPlace::become_keeper() const { return take_byte(lock_.get(), F_WRLCK, kKeeperByte); }
bool MpsPlace::has_keeper() const { return byte_is_taken(lock_.get(), kKeeperByte); }
bool MpsPlace::join() const { return take_byte(lock_.get(), F_RDLCK, kUsersByte); }
void MpsPlace::take_turn() const {
  struct flock lock = byte_lock(F_WRLCK, kTurnByte);
  while (::fcntl(lock_.get(), F_OFD_SETLKW, &lock) != 0 && errno == EINTR) {
  }
}
void MpsPlace::end_turn() const { take_byte(lock_.get(), F_UNLCK, kTurnByte); }
bool MpsPlace::is_used() const { return byte_is_taken(lock_.get(), kUsersByte); }
bool MpsPlace::close_to_newcomers() const { return take_byte(lock_.get(), F_WRLCK, kUsersByte); }

std::optional<MpsPlan> MpsPlace::plan() const {
  const auto text = read_file(directory(), "order");
  if (!text || !text->has_value()) return std::nullopt;
  auto plan = parse_mps_plan(**text);
  return plan ? std::optional(std::move(*plan)) : std::nullopt;
}

std::optional<MpsServer> MpsPlace::server() const {
  const auto text = read_file(directory(), "server");
  if (!text || !text->has_value()) return std::nullopt;
  auto server = parse_mps_server(**text);
  return server ? std::optional(std::move(*server)) : std::nullopt;
}

Result<void> MpsPlace::set_plan(const MpsPlan& plan) const {
  return replace_file(directory(), "order", write_mps_plan(plan), 0600);
}
Result<void> MpsPlace::set_server(const MpsServer& server) const {
  return replace_file(directory(), "server", write_mps_server(server), 0644);
}
void MpsPlace::forget_server() const { ::unlinkat(directory(), "server", 0); }

std::string mps_trouble(const MpsPlace& place) {
  const auto server = place.server();
  if (!server) return "the MPS server that it used is not there any more";
  if (server->phase != MpsServer::Phase::kReady) {
    return "the MPS server that it used has ended: " + server->why;
  }
  for (const MpsProcess& each : server->processes) {
    const auto now = find_process(each.pid);
    if (!now || now->zombie || now->started != each.started) {
      return "the MPS server that it used has ended (process " + std::to_string(each.pid) + ")";
    }
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> mps_client_variables(const MpsOrder& order,
                                                                      const std::string& pipe) {
  // The server knows one card only and counts it as its first; a UUID means the same to both.
  std::vector<std::pair<std::string, std::string>> variables = {
      {"CUDA_VISIBLE_DEVICES", order.uuid},
      {"NVIDIA_VISIBLE_DEVICES", order.uuid},
      {"CUDA_MPS_PIPE_DIRECTORY", pipe},
      {"GPUSCHED_MPS", "1"}};
  if (order.thread_percent > 0) {
    variables.emplace_back("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                           std::to_string(order.thread_percent));
  }
  if (order.vram_limit_bytes > 0) {
    const std::uint64_t mib = std::max<std::uint64_t>(1, order.vram_limit_bytes >> 20);
    variables.emplace_back("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=" + std::to_string(mib) + "M");
  }
  return variables;
}

}  // namespace gpusched
