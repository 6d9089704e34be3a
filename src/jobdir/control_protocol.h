// What travels over the control socket of a shim: one message per packet, two bytes of head
// (protocol version, kind), then the fields. Shared by shim, daemon and command line; encoding and
// decoding only, no socket here. Rule: a kind is never given another meaning; new ones are added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "core/model/job.h"

namespace gpusched {

inline constexpr std::uint8_t kControlVersion = 1;
// The most data bytes in one message; a receive buffer of kLargestControlPacket takes any message.
inline constexpr std::size_t kControlChunk = 32 * 1024;
inline constexpr std::size_t kLargestControlPacket = kControlChunk + 1024;

// --- To the shim ------------------------------------------------------------------------------
// Any of these may be sent on a connection of its own, and is answered by Done or Refused.
struct StopCommand {
  Seconds grace{0};
};
struct SetTime {  // Only the daemon's user and root.
  TimeRule time;
};
struct PauseCommand {};   // Only the daemon's user and root.
struct ResumeCommand {};  // Only the daemon's user and root.
// To the job's process group. While attached, send it on a second connection: on the first one it
// would wait behind input that the job does not read.
struct SendSignal {
  int signal = 0;
};
// Answered by Attached or Refused; from then on the connection is the job's terminal.
struct AttachRequest {
  int rows = 0;
  int columns = 0;
};
struct Detach {};  // Go, and let the job run on.
struct InputData {
  std::string bytes;
};
struct InputEnd {};
struct WindowSize {
  int rows = 0;
  int columns = 0;
};

// --- From the shim ----------------------------------------------------------------------------
struct Done {};
struct Refused {
  std::string message;
};
struct Attached {
  bool terminal = false;  // A pty; else pipes.
};
struct OutputData {
  std::string bytes;
};
struct ErrorData {
  std::string bytes;
};
// The last message: the exit record is written.
struct JobExit {
  Cause cause = Cause::kExit;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string message;
};

// --- To the shim, added later -----------------------------------------------------------------
// The job is to save itself: told by this signal (0: none) and by the file `request`. What is still
// there after `grace` is stopped, with `stop_grace` between TERM and KILL. Only the first counts.
struct SaveCommand {
  int signal = 0;
  Seconds grace{0};
  Seconds stop_grace{0};
};

// Of an adopted process: watch over it no longer. Only the daemon's user and root.
struct LetGoCommand {};

// Like AttachRequest, for somebody whose connection may break without a word (docs/adr/0106): the
// job goes on by itself then. With the same key they may come back before that was noticed.
struct AttachFromAfar {
  int rows = 0;
  int columns = 0;
  std::uint64_t key = 0;
};
// Of who is attached from afar: they leave, and the job is to end as it does without its client.
struct HangUp {};

using ControlMessage =
    std::variant<StopCommand, SetTime, PauseCommand, ResumeCommand, SendSignal, AttachRequest,
                 Detach, InputData, InputEnd, WindowSize, Done, Refused, Attached, OutputData,
                 ErrorData, JobExit, SaveCommand, LetGoCommand, AttachFromAfar, HangUp>;

// What the daemon passes on for those who are somewhere else. It connects as the daemon's user, so
// nothing is among this that an owner could not ask for.
bool may_come_from_afar(std::string_view packet);

std::string encode(const ControlMessage& message);
// Errors say what is wrong in words that can be shown to the sender.
Result<ControlMessage> decode_control(std::string_view packet);

}  // namespace gpusched
