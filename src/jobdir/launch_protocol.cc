#include "jobdir/launch_protocol.h"

#include "jobdir/wire.h"

namespace gpusched {
namespace {

void write(WireWriter& out, AttemptId id) {
  out.u64(number_of(id.job));
  out.u32(static_cast<std::uint32_t>(id.number));
}
AttemptId read_attempt(WireReader& in) {
  const JobId job{in.u64()};
  return {job, static_cast<int>(in.u32())};
}
void write_list(WireWriter& out, const std::vector<std::string>& list) {
  out.u32(static_cast<std::uint32_t>(list.size()));
  for (const std::string& item : list) out.text(item);
}
std::vector<std::string> read_list(WireReader& in) {
  std::vector<std::string> list(in.count(sizeof(std::uint32_t)));
  for (std::string& item : list) item = in.text();
  return list;
}
void write(WireWriter& out, const LaunchRequest& m) {
  write(out, m.attempt);
  out.u8(m.on_go ? 1 : 0);
  out.u8(m.adopts ? 1 : 0);
  out.rest(m.order);
}
void write(WireWriter& out, const EndTreeRequest& m) {
  write(out, m.attempt);
  out.text(m.cgroup);
  out.u32(static_cast<std::uint32_t>(m.session));
  out.i64(m.session_started.time_since_epoch().count());
}
void write(WireWriter& out, const EndContainersRequest& m) {
  write(out, m.attempt);
  out.i64(m.since.time_since_epoch().count());
  write_list(out, m.groups);
}
void write(WireWriter& out, const ForgetRequest& m) {
  out.u32(static_cast<std::uint32_t>(m.jobs.size()));
  for (const JobId job : m.jobs) out.u64(number_of(job));
}
void write(WireWriter& out, const LauncherReady& m) { out.u32(m.version); }
void write(WireWriter& out, const ShimLaunched& m) {
  write(out, m.attempt);
  out.u32(static_cast<std::uint32_t>(m.pid));
}
void write(WireWriter& out, const ShimNotLaunched& m) {
  write(out, m.attempt);
  out.rest(m.error);
}
void write(WireWriter& out, const CommandStarted& m) {
  write(out, m.attempt);
  out.u32(static_cast<std::uint32_t>(m.pid));
  out.i64(m.started_at.time_since_epoch().count());
  out.rest(m.without_mps);
}
void write(WireWriter& out, const CommandEnded& m) {
  write(out, m.attempt);
  out.rest(m.record);
}
void write(WireWriter& out, const ShimGaveUp& m) {
  write(out, m.attempt);
  out.u8(m.no_room ? 1 : 0);
  out.rest(m.error);
}
void write(WireWriter& out, const TreeEnded& m) { write(out, m.attempt); }
void write(WireWriter& out, const Forgotten& m) { out.rest(m.problem); }
void write(WireWriter& out, const MoveRequest& m) {
  write(out, m.attempt);
  out.text(m.token);
  write_list(out, m.words);
  write_list(out, m.variables);
}
void write(WireWriter& out, const MoverStarted& m) {
  write(out, m.attempt);
  out.text(m.token);
  out.u32(static_cast<std::uint32_t>(m.pid));
}
void write(WireWriter& out, const MoverNotStarted& m) {
  write(out, m.attempt);
  out.text(m.token);
  out.rest(m.error);
}
void write(WireWriter& out, const MoverEnded& m) {
  write(out, m.attempt);
  out.text(m.token);
}

void read(WireReader& in, LaunchRequest& m) {
  m.attempt = read_attempt(in);
  m.on_go = in.u8() != 0;
  m.adopts = in.u8() != 0;
  m.order = in.rest();
}
void read(WireReader& in, EndTreeRequest& m) {
  m.attempt = read_attempt(in);
  m.cgroup = in.text();
  m.session = static_cast<int>(in.u32());
  m.session_started = Boot{Microseconds{in.i64()}};
}
void read(WireReader& in, EndContainersRequest& m) {
  m.attempt = read_attempt(in);
  m.since = Boot{Microseconds{in.i64()}};
  m.groups = read_list(in);
}
void read(WireReader& in, ForgetRequest& m) {
  const std::uint32_t count = in.count(sizeof(std::uint64_t));
  for (std::uint32_t i = 0; i < count; ++i) m.jobs.push_back(JobId{in.u64()});
}
void read(WireReader& in, LauncherReady& m) { m.version = in.u32(); }
void read(WireReader& in, ShimLaunched& m) {
  m.attempt = read_attempt(in);
  m.pid = static_cast<int>(in.u32());
}
void read(WireReader& in, ShimNotLaunched& m) {
  m.attempt = read_attempt(in);
  m.error = in.rest();
}
void read(WireReader& in, CommandStarted& m) {
  m.attempt = read_attempt(in);
  m.pid = static_cast<int>(in.u32());
  m.started_at = Wall{Microseconds{in.i64()}};
  m.without_mps = in.rest();
}
void read(WireReader& in, CommandEnded& m) {
  m.attempt = read_attempt(in);
  m.record = in.rest();
}
void read(WireReader& in, ShimGaveUp& m) {
  m.attempt = read_attempt(in);
  m.no_room = in.u8() != 0;
  m.error = in.rest();
}
void read(WireReader& in, TreeEnded& m) { m.attempt = read_attempt(in); }
void read(WireReader& in, Forgotten& m) { m.problem = in.rest(); }
void read(WireReader& in, MoveRequest& m) {
  m.attempt = read_attempt(in);
  m.token = in.text();
  m.words = read_list(in);
  m.variables = read_list(in);
}
void read(WireReader& in, MoverStarted& m) {
  m.attempt = read_attempt(in);
  m.token = in.text();
  m.pid = static_cast<int>(in.u32());
}
void read(WireReader& in, MoverNotStarted& m) {
  m.attempt = read_attempt(in);
  m.token = in.text();
  m.error = in.rest();
}
void read(WireReader& in, MoverEnded& m) {
  m.attempt = read_attempt(in);
  m.token = in.text();
}

template <std::size_t I = 0>
Result<LaunchMessage> decode_launch(std::size_t kind, WireReader& in) {
  if constexpr (I < std::variant_size_v<LaunchMessage>) {
    if (kind != I) return decode_launch<I + 1>(kind, in);
    std::variant_alternative_t<I, LaunchMessage> message;
    read(in, message);
    if (!in.ok()) return failure(ErrorCode::kInternal, "a launcher message is cut off");
    return LaunchMessage(std::move(message));
  } else {
    return failure(ErrorCode::kInternal, "a launcher message is of an unknown kind");
  }
}

}  // namespace

std::string encode(const LaunchMessage& message) {
  WireWriter out;
  out.u8(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& m) { write(out, m); }, message);
  return out.take();
}

Result<LaunchMessage> decode_launch(std::string_view packet) {
  if (packet.empty()) return failure(ErrorCode::kInternal, "a launcher message is empty");
  WireReader in(packet.substr(1));
  return decode_launch(static_cast<std::uint8_t>(packet[0]), in);
}

namespace {

void write_time(WireWriter& out, const TimeRule& time) {
  out.i64(time.limit.count());
  out.u32(static_cast<std::uint32_t>(time.warn_signal));
  out.i64(time.warn_before.count());
  out.i64(time.grace.count());
}
TimeRule read_time(WireReader& in) {
  TimeRule time;
  time.limit = Seconds{in.i64()};
  time.warn_signal = static_cast<int>(in.u32());
  time.warn_before = Seconds{in.i64()};
  time.grace = Seconds{in.i64()};
  return time;
}

void write_filter(WireWriter& out, const DevicesOrder& devices) {
  out.text(devices.open);
  out.u8(devices.filter ? 1 : 0);
  if (!devices.filter) return;
  out.u32(static_cast<std::uint32_t>(devices.filter->guarded.size()));
  for (const DeviceRange& range : devices.filter->guarded) {
    out.u32(range.major);
    out.u32(range.first);
    out.u32(range.last);
  }
  out.u32(static_cast<std::uint32_t>(devices.filter->allowed.size()));
  for (const DeviceNode& node : devices.filter->allowed) {
    out.u32(node.major);
    out.u32(node.minor);
  }
}

void read_filter(WireReader& in, DevicesOrder& devices) {
  devices.open = in.text();
  if (in.u8() == 0) return;
  DeviceFilter& filter = devices.filter.emplace();
  filter.guarded.resize(in.count(3 * sizeof(std::uint32_t)));
  for (DeviceRange& range : filter.guarded) {
    range.major = in.u32();
    range.first = in.u32();
    range.last = in.u32();
  }
  filter.allowed.resize(in.count(2 * sizeof(std::uint32_t)));
  for (DeviceNode& node : filter.allowed) {
    node.major = in.u32();
    node.minor = in.u32();
  }
}

void write_limits(WireWriter& out, const DevicesOrder& devices) {
  out.u32(static_cast<std::uint32_t>(devices.vram_limits.size()));
  for (const VramLimit& limit : devices.vram_limits) {
    out.text(limit.pci);
    out.u64(limit.bytes);
  }
  out.u8(devices.mps ? 1 : 0);
  if (!devices.mps) return;
  out.u32(static_cast<std::uint32_t>(number_of(devices.mps->card)));
  out.text(devices.mps->uuid);
  out.text(devices.mps->program);
  write_list(out, devices.mps->variables);
  out.i64(devices.mps->linger.count());
  out.u32(static_cast<std::uint32_t>(devices.mps->thread_percent));
  out.u64(devices.mps->vram_limit_bytes);
}

void read_limits(WireReader& in, DevicesOrder& devices) {
  devices.vram_limits.resize(in.count(sizeof(std::uint32_t) + sizeof(std::uint64_t)));
  for (VramLimit& limit : devices.vram_limits) {
    limit.pci = in.text();
    limit.bytes = in.u64();
  }
  if (in.u8() == 0) return;
  MpsOrder& mps = devices.mps.emplace();
  mps.card = CardNumber{static_cast<std::uint16_t>(in.u32())};
  mps.uuid = in.text();
  mps.program = in.text();
  mps.variables = read_list(in);
  mps.linger = Seconds{in.i64()};
  mps.thread_percent = static_cast<int>(in.u32());
  mps.vram_limit_bytes = in.u64();
}

// Beside how it is attached, in one byte.
constexpr unsigned kDetachedBit = 0x80;

void write_command(WireWriter& out, const CommandOrder& command) {
  write_list(out, command.argv);
  write_list(out,
             command.environment ? command.environment->variables : std::vector<std::string>());
  out.u32(static_cast<std::uint32_t>(command.added_variables.size()));
  for (const auto& [name, value] : command.added_variables) {
    out.text(name);
    out.text(value);
  }
  out.text(command.working_directory);
  out.u32(command.owner.uid);
  out.u32(command.owner.gid);
  out.text(command.owner.user);
  out.u32(command.umask);
  out.u32(static_cast<std::uint32_t>(command.limits.size()));
  for (const ResourceLimit& limit : command.limits) {
    out.u32(static_cast<std::uint32_t>(limit.resource));
    out.u64(limit.soft);
    out.u64(limit.hard);
  }
  out.text(command.output_path);
  out.text(command.error_path);
  out.u64(command.log_limit_bytes);
}

void read_command(WireReader& in, CommandOrder& command) {
  command.argv = read_list(in);
  auto environment = std::make_shared<Environment>();
  environment->variables = read_list(in);
  command.environment = std::move(environment);
  command.added_variables.resize(in.count(2 * sizeof(std::uint32_t)));
  for (auto& [name, value] : command.added_variables) {
    name = in.text();
    value = in.text();
  }
  command.working_directory = in.text();
  command.owner.uid = in.u32();
  command.owner.gid = in.u32();
  command.owner.user = in.text();
  command.umask = in.u32();
  command.limits.resize(in.count(sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t)));
  for (ResourceLimit& limit : command.limits) {
    limit.resource = static_cast<int>(in.u32());
    limit.soft = in.u64();
    limit.hard = in.u64();
  }
  command.output_path = in.text();
  command.error_path = in.text();
  command.log_limit_bytes = in.u64();
}

}  // namespace

std::string encode_order(const LaunchOrder& order) {
  WireWriter out;
  out.reserve(4096);
  write(out, order.attempt);
  write_command(out, order.command);
  write_time(out, order.time);
  out.u8(static_cast<std::uint8_t>(static_cast<unsigned>(order.command.attach) |
                                   (order.command.detached ? kDetachedBit : 0U)));
  out.u32(static_cast<std::uint32_t>(order.command.terminal_rows));
  out.u32(static_cast<std::uint32_t>(order.command.terminal_columns));
  out.u32(static_cast<std::uint32_t>(order.isolation.cpus));
  out.u64(order.isolation.ram_bytes);
  write_filter(out, order.devices);
  out.text(order.isolation.near.cpus);
  out.text(order.isolation.near.memory);
  out.u32(order.adopted ? static_cast<std::uint32_t>(order.adopted->pid) : 0);
  out.i64(order.adopted ? order.adopted->started.time_since_epoch().count() : 0);
  write_limits(out, order.devices);
  out.text(order.note);
  out.text(order.holds);
  return out.take();
}

Result<LaunchOrder> decode_order(std::string_view bytes) {
  WireReader in(bytes);
  LaunchOrder order;
  order.attempt = read_attempt(in);
  read_command(in, order.command);
  order.time = read_time(in);
  const unsigned how = in.u8();
  const unsigned attach = how & ~kDetachedBit;
  order.command.detached = (how & kDetachedBit) != 0;
  order.command.attach = attach == static_cast<unsigned>(Attach::kPty)     ? Attach::kPty
                         : attach == static_cast<unsigned>(Attach::kPipes) ? Attach::kPipes
                                                                           : Attach::kNone;
  order.command.terminal_rows = static_cast<int>(in.u32());
  order.command.terminal_columns = static_cast<int>(in.u32());
  order.isolation.cpus = static_cast<int>(in.u32());
  order.isolation.ram_bytes = in.u64();
  read_filter(in, order.devices);
  order.isolation.near.cpus = in.text();
  order.isolation.near.memory = in.text();
  const int adopted = static_cast<int>(in.u32());
  const Boot adopted_started{Microseconds{in.i64()}};
  if (adopted > 0) order.adopted = AdoptedProcess{adopted, adopted_started};
  read_limits(in, order.devices);
  order.note = in.text();
  order.holds = in.text();
  if (!in.ok()) return failure(ErrorCode::kInternal, "a launch order is cut off");
  return order;
}

}  // namespace gpusched
