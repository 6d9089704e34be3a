// A program that we started, its output in pipes of ours. It has a process group of its own, so
// that ending it ends what it started. A program stuck inside a driver cannot be ended by anybody:
// it is left to a thread that waits for it, and never holds up the caller. Once a few are stuck no
// more are started, for they would only join them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched::watch {

// The first executable file of this name in `path`, which is like $PATH; empty: that of this
// process. Nothing if there is none.
std::optional<std::string> find_program(const std::string& name, const std::string& path);

class Child {
 public:
  // `arguments[0]` is the program's path.
  static Result<Child> start(const std::vector<std::string>& arguments);
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        output_(std::move(other.output_)),
        errors_(std::move(other.errors_)),
        status_(other.status_) {}
  Child& operator=(Child&&) = delete;
  ~Child() { end(); }

  int output() const { return output_.get(); }  // Not blocking.
  int errors() const { return errors_.get(); }
  pid_t pid() const { return pid_; }
  // The exit code, 128 + the signal; nothing while it runs.
  std::optional<int> exit_code();
  // Kills it and reaps it, now or in the background. Does nothing to one that was reaped.
  void end();

 private:
  Child(pid_t pid, Fd output, Fd errors)
      : pid_(pid), output_(std::move(output)), errors_(std::move(errors)) {}

  pid_t pid_ = -1;
  Fd output_, errors_;
  std::optional<int> status_;
};

}  // namespace gpusched::watch
