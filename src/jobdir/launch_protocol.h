// What travels between daemon, launcher and shims: one message per packet. The daemon and its
// launcher are of one build (the launcher says its version when it is ready); shims report over a
// second socket that they inherit, so that the first one ends exactly when the launcher does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/model/ids.h"
#include "engine/launcher.h"

namespace gpusched {

inline constexpr std::uint32_t kLaunchProtocolVersion = 4;
// The launcher's two sockets.
inline constexpr int kRequestSocket = 3;
inline constexpr int kReportSocket = 4;
// Orders up to this size ride in the packet; larger ones in a sealed memory file beside it.
inline constexpr std::size_t kLargestInlineOrder = 48 * 1024;
inline constexpr std::size_t kLargestLaunchPacket = 64 * 1024;

// --- Daemon to launcher -------------------------------------------------------------------------
// `order` as encode_order() made it; empty: it is in the last descriptor that came along.
struct LaunchRequest {
  AttemptId attempt;
  // The first descriptor that came along says when: a byte is "go", its end is "never".
  bool on_go = false;
  bool adopts = false;  // Nothing is started: of no use to a shim that was made for a command.
  std::string order;
};
// The shim died: end what it left behind. Answered by TreeEnded.
struct EndTreeRequest {
  AttemptId attempt;
  std::string cgroup;      // Empty: none.
  int session = 0;         // The command's pid; 0: it never got that far.
  Boot session_started{};  // Guards against a pid that was given to somebody else since.
};
// Containers that an attempt started and left behind: an engine runs them outside its tree. Not
// answered.
struct EndContainersRequest {
  AttemptId attempt;
  Boot since{};                     // One that is older was there before, and stays.
  std::vector<std::string> groups;  // Their control groups, from the root.
};
struct ForgetRequest {  // Answered by Forgotten.
  std::vector<JobId> jobs;
};
// Start gpusched-mover, apart from launcher and daemon: neither's end may interrupt it. Answered by
// MoverStarted or MoverNotStarted, later by MoverEnded; asking twice is safe, movers wait for each
// other.
struct MoveRequest {
  AttemptId attempt;
  std::string token;                   // Of the order.
  std::vector<std::string> words;      // Program and arguments.
  std::vector<std::string> variables;  // Its environment, "NAME=value".
};

// --- Launcher to daemon
// ---------------------------------------------------------------------------
struct LauncherReady {  // The lock is ours: no older launcher will start anything any more.
  std::uint32_t version = kLaunchProtocolVersion;
};
struct ShimLaunched {  // The shim's pidfd comes along.
  AttemptId attempt;
  int pid = 0;
};
struct ShimNotLaunched {
  AttemptId attempt;
  std::string error;
};
struct MoverStarted {  // The mover's pidfd comes along.
  AttemptId attempt;
  std::string token;
  int pid = 0;
};

// --- Shims and workers to daemon
// ------------------------------------------------------------------
struct CommandStarted {
  AttemptId attempt;
  int pid = 0;
  Wall started_at{};
  std::string without_mps = {};
};
struct CommandEnded {  // `record` is the text of the exit record, which is in place already.
  AttemptId attempt;
  std::string record;
};
struct ShimGaveUp {  // Before the claim; the command has not run.
  AttemptId attempt;
  std::string error;
  bool no_room = false;  // The disk was full.
};
struct TreeEnded {
  AttemptId attempt;
};
struct Forgotten {
  std::string problem;  // Empty: all gone.
};
struct MoverNotStarted {  // From the launcher, or from the process that was to become the mover.
  AttemptId attempt;
  std::string token;
  std::string error;
};
struct MoverEnded {  // Its record is in place.
  AttemptId attempt;
  std::string token;
};

using LaunchMessage =
    std::variant<LaunchRequest, EndTreeRequest, EndContainersRequest, ForgetRequest, LauncherReady,
                 ShimLaunched, ShimNotLaunched, CommandStarted, CommandEnded, ShimGaveUp, TreeEnded,
                 Forgotten, MoveRequest, MoverStarted, MoverNotStarted, MoverEnded>;

std::string encode(const LaunchMessage& message);
Result<LaunchMessage> decode_launch(std::string_view packet);

std::string encode_order(const LaunchOrder& order);
Result<LaunchOrder> decode_order(std::string_view bytes);

}  // namespace gpusched
