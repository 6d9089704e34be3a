// Lines to the daemon: HTTP/1.1 over its Unix socket, kept open between calls. As many as calls
// are made at once; each call has one to itself.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "scheduler/backend.h"

namespace gpusched::library {

struct DaemonAnswer {
  int status = 0;
  std::string body;
};

class DaemonLine {
 public:
  explicit DaemonLine(std::vector<std::string> sockets) : sockets_(std::move(sockets)) {}

  // `patience` is how long the daemon may be silent.
  Reply<DaemonAnswer> call(std::string_view method, std::string_view target, std::string_view body,
                           std::chrono::milliseconds patience = std::chrono::seconds{30});
  // True if a daemon takes connections now.
  bool answers();

 private:
  Fd kept();
  Reply<Fd> connect() const;
  void keep(Fd line);

  const std::vector<std::string> sockets_;
  std::mutex mutex_;
  std::vector<Fd> idle_;
};

std::string url_encoded(std::string_view text);

}  // namespace gpusched::library
