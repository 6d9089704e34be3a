#include "jobdir/control_protocol.h"

#include <limits>

#include "jobdir/wire.h"

namespace gpusched {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

void write(WireWriter& out, const StopCommand& m) { out.i64(m.grace.count()); }
void write(WireWriter& out, const SetTime& m) {
  out.i64(m.time.limit.count());
  out.u32(static_cast<std::uint32_t>(m.time.warn_signal));
  out.i64(m.time.warn_before.count());
  out.i64(m.time.grace.count());
}
void write(WireWriter&, const PauseCommand&) {}
void write(WireWriter&, const ResumeCommand&) {}
void write(WireWriter& out, const SendSignal& m) { out.u32(static_cast<std::uint32_t>(m.signal)); }
void write_size(WireWriter& out, int rows, int columns) {
  out.u32(static_cast<std::uint32_t>(rows));
  out.u32(static_cast<std::uint32_t>(columns));
}
void write(WireWriter& out, const AttachRequest& m) { write_size(out, m.rows, m.columns); }
void write(WireWriter&, const Detach&) {}
void write(WireWriter& out, const InputData& m) { out.rest(m.bytes); }
void write(WireWriter&, const InputEnd&) {}
void write(WireWriter& out, const WindowSize& m) { write_size(out, m.rows, m.columns); }
void write(WireWriter&, const Done&) {}
void write(WireWriter& out, const Refused& m) { out.rest(m.message); }
void write(WireWriter& out, const Attached& m) { out.u8(m.terminal ? 1 : 0); }
void write(WireWriter& out, const OutputData& m) { out.rest(m.bytes); }
void write(WireWriter& out, const ErrorData& m) { out.rest(m.bytes); }
void write(WireWriter& out, const JobExit& m) {
  out.u8(static_cast<std::uint8_t>(m.cause));
  out.i64(m.exit_code ? *m.exit_code : kNone);
  out.i64(m.signal ? *m.signal : kNone);
  out.rest(m.message);
}
void write(WireWriter& out, const SaveCommand& m) {
  out.u32(static_cast<std::uint32_t>(m.signal));
  out.i64(m.grace.count());
  out.i64(m.stop_grace.count());
}

void write(WireWriter&, const LetGoCommand&) {}
void write(WireWriter& out, const AttachFromAfar& m) {
  write_size(out, m.rows, m.columns);
  out.u64(m.key);
}
void write(WireWriter&, const HangUp&) {}

// Values from the other side are clamped into what the field can mean.
int small_number(std::uint32_t value) { return static_cast<int>(value & 0xffff); }
Seconds seconds(std::int64_t value) {
  constexpr std::int64_t kMost = 100LL * 365 * 24 * 3600;
  return Seconds{value < 0 ? 0 : value > kMost ? kMost : value};
}
std::optional<int> maybe(std::int64_t value) {
  if (value == kNone) return std::nullopt;
  return static_cast<int>(value);
}

void read(WireReader& in, StopCommand& m) { m.grace = seconds(in.i64()); }
void read(WireReader& in, SetTime& m) {
  m.time.limit = seconds(in.i64());
  m.time.warn_signal = small_number(in.u32());
  m.time.warn_before = seconds(in.i64());
  m.time.grace = seconds(in.i64());
}
void read(WireReader&, PauseCommand&) {}
void read(WireReader&, ResumeCommand&) {}
void read(WireReader& in, SendSignal& m) { m.signal = small_number(in.u32()); }
void read(WireReader& in, AttachRequest& m) {
  m.rows = small_number(in.u32());
  m.columns = small_number(in.u32());
}
void read(WireReader&, Detach&) {}
void read(WireReader& in, InputData& m) { m.bytes = in.rest(); }
void read(WireReader&, InputEnd&) {}
void read(WireReader& in, WindowSize& m) {
  m.rows = small_number(in.u32());
  m.columns = small_number(in.u32());
}
void read(WireReader&, Done&) {}
void read(WireReader& in, Refused& m) { m.message = in.rest(); }
void read(WireReader& in, Attached& m) { m.terminal = in.u8() != 0; }
void read(WireReader& in, OutputData& m) { m.bytes = in.rest(); }
void read(WireReader& in, ErrorData& m) { m.bytes = in.rest(); }
void read(WireReader& in, JobExit& m) {
  const std::uint8_t cause = in.u8();
  for (const Cause known : kAllCauses) {
    if (static_cast<std::uint8_t>(known) == cause) m.cause = known;
  }
  m.exit_code = maybe(in.i64());
  m.signal = maybe(in.i64());
  m.message = in.rest();
}

void read(WireReader& in, SaveCommand& m) {
  m.signal = small_number(in.u32());
  m.grace = seconds(in.i64());
  m.stop_grace = seconds(in.i64());
}

void read(WireReader&, LetGoCommand&) {}
void read(WireReader& in, AttachFromAfar& m) {
  m.rows = small_number(in.u32());
  m.columns = small_number(in.u32());
  m.key = in.u64();
}
void read(WireReader&, HangUp&) {}

template <std::size_t I = 0>
Result<ControlMessage> decode_control(std::size_t kind, WireReader& in) {
  if constexpr (I < std::variant_size_v<ControlMessage>) {
    if (kind != I) return decode_control<I + 1>(kind, in);
    std::variant_alternative_t<I, ControlMessage> message;
    read(in, message);
    if (!in.ok()) return failure(ErrorCode::kInvalid, "the control message is cut off or too long");
    return ControlMessage(std::move(message));
  } else {
    return failure(ErrorCode::kUnsupported,
                   "the control message is of an unknown kind " + std::to_string(kind));
  }
}

}  // namespace

bool may_come_from_afar(std::string_view packet) {
  const auto message = decode_control(packet);
  if (!message) return false;
  return std::holds_alternative<AttachFromAfar>(*message) ||
         std::holds_alternative<Detach>(*message) || std::holds_alternative<HangUp>(*message) ||
         std::holds_alternative<InputData>(*message) ||
         std::holds_alternative<InputEnd>(*message) ||
         std::holds_alternative<WindowSize>(*message) ||
         std::holds_alternative<SendSignal>(*message);
}

std::string encode(const ControlMessage& message) {
  WireWriter out;
  out.u8(kControlVersion);
  out.u8(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& m) { write(out, m); }, message);
  return out.take();
}

Result<ControlMessage> decode_control(std::string_view packet) {
  if (packet.size() < 2) return failure(ErrorCode::kInvalid, "the control message is too short");
  const auto version = static_cast<std::uint8_t>(packet[0]);
  if (version != kControlVersion) {
    return failure(ErrorCode::kUnsupported,
                   "the control message is of protocol version " + std::to_string(version) +
                       ", this supervisor speaks " + std::to_string(kControlVersion));
  }
  WireReader in(packet.substr(2));
  return decode_control(static_cast<std::uint8_t>(packet[1]), in);
}

}  // namespace gpusched
