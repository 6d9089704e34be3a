// Who holds the leases: processes, watched through descriptors that their end makes readable, and
// connections, which may come back within half a minute. What is known here is found out again
// after a restart; nothing of it is stored. Belongs to the loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "os/fd.h"

namespace gpusched {

class LeaseHolders {
 public:
  LeaseHolders(boost::asio::io_context& loop, Engine& engine, std::chrono::milliseconds grace);
  ~LeaseHolders();

  // The process, with when it was started, from now on watched. An error: there is no such one, or
  // it is not the actor's. `asker`: a descriptor of it, if it is the one that asks; then it is not
  // looked at whose files it has under /proc.
  Result<std::uint64_t> watch(int pid, const Principal& actor, Fd asker = {});
  // What it runs (core/model/program.h), without its arguments; empty: it cannot be seen.
  std::string program_of_process(int pid) const;

  // Leases that have changed; those that are new are watched from now on.
  void look(const std::vector<JobChange>& changes);
  // After a restart: all that the state knows.
  void look_at_all();

  // A connection holds the lease, and has gone.
  void attach(JobId lease);
  void detach(JobId lease);

 private:
  struct Process;
  void look_at(JobId id);
  void ended(int pid);
  void let_go(JobId lease);
  void await_return(JobId lease);
  void look_again(JobId lease);

  boost::asio::io_context& loop_;
  Engine& engine_;
  std::chrono::milliseconds grace_;
  std::map<int, std::shared_ptr<Process>> processes_;
  std::map<JobId, int> process_of_;   // Leases that a process holds.
  std::map<JobId, int> connections_;  // How many hold each lease.
  std::map<JobId, std::unique_ptr<boost::asio::steady_timer>> returns_;
};

}  // namespace gpusched
