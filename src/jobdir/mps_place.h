// Where an MPS server of a user on a card lives: STATE/mps/UID-CARD.N/, one place for one life of a
// server. N is 1 unless an earlier server has ended under jobs that are still there.
//   lock    byte 0: its keeper lives. Byte 1: shared by the shims whose jobs use the server; the
//           keeper takes it alone to stop the server, so nobody joins one that goes.
//           Byte 2: who writes the order, one at a time.
//   order   all that a keeper must know, so that any launcher can put one in a dead one's place
//   server  what became of it: ready with its processes, failed, or ended
//   pipe/   the user's: where clients find the server      log/   the user's: what it writes
// Locks are the kernel's, so whatever is killed is gone for everybody at once.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"
#include "engine/launcher.h"
#include "os/fd.h"

namespace gpusched {

struct MpsPlan {
  std::string uuid;
  std::string program;
  std::vector<std::string> variables;
  Identity owner;
  Seconds linger{0};
};
std::string write_mps_plan(const MpsPlan& plan);
Result<MpsPlan> parse_mps_plan(std::string_view text);

// With its start, a pid means this process and no other.
struct MpsProcess {
  pid_t pid = 0;
  Boot started{};
  friend bool operator==(const MpsProcess&, const MpsProcess&) = default;
};
struct MpsServer {
  enum class Phase { kReady, kFailed, kEnded };
  Phase phase = Phase::kReady;
  std::string why;  // It failed, or ended: one sentence.
  Wall at{};
  std::vector<MpsProcess> processes;  // The control daemon first.
  friend bool operator==(const MpsServer&, const MpsServer&) = default;
};
std::string write_mps_server(const MpsServer& server);
Result<MpsServer> parse_mps_server(std::string_view text);

std::string mps_directory(const std::string& state_directory);
std::string mps_place_name(std::uint32_t uid, CardNumber card, int number);

class MpsPlace {
 public:
  // Makes what is missing of it.
  static Result<MpsPlace> open(const std::string& state_directory, const std::string& name);
  // Those that are there, by name.
  static std::vector<std::string> list(const std::string& state_directory);

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  std::string pipe() const { return path_ + "/pipe"; }
  int directory() const { return directory_.get(); }
  // False: its keeper has removed it meanwhile.
  bool is_there() const;

  // Each of these tries once. What was taken lasts as long as this object, or this process.
  bool become_keeper() const;
  bool has_keeper() const;
  bool join() const;
  // Whoever has the turn may give it an order; the others wait, but never for long.
  void take_turn() const;
  void end_turn() const;
  bool is_used() const;
  bool close_to_newcomers() const;

  std::optional<MpsPlan> plan() const;
  std::optional<MpsServer> server() const;  // Absent: none yet.
  Result<void> set_plan(const MpsPlan& plan) const;
  Result<void> set_server(const MpsServer& server) const;
  void forget_server() const;

 private:
  std::string name_;
  std::string path_;
  Fd directory_;
  Fd lock_;
};

// Why a job that failed may have failed through no fault of its own; empty: its server is well.
std::string mps_trouble(const MpsPlace& place);

// What tells CUDA where to go and what it may have there.
std::vector<std::pair<std::string, std::string>> mps_client_variables(const MpsOrder& order,
                                                                      const std::string& pipe);

}  // namespace gpusched
