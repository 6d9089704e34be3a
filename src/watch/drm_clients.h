// The processes that have a card open, by the kernel's own books: one pass over /proc serves all
// cards for a moment, and the difference of two passes is how busy each process keeps its card.
// Only processes that we may look into are seen: all of them as root, else those of our own user.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "watch/fdinfo.h"
#include "watch/host.h"
#include "watch/sample.h"
#include "watch/tree.h"

namespace gpusched::watch {

// REQUIRES: every backend has one of its own; its cards share it.
class DrmClients {
 public:
  // `drivers`: whose clients count.
  DrmClients(const Host& host, std::vector<std::string> drivers)
      : host_(host), tree_(host.root), drivers_(std::move(drivers)) {}

  // By pid. `with_shared`: the host's memory counts too, for cards without their own.
  std::vector<ProcessSample> on(std::string_view pci, bool with_shared);

 private:
  struct Seen {
    int pid = 0;
    DrmClient client;
  };
  using Clients = std::map<std::pair<std::string, std::uint64_t>, Seen>;  // By PCI and client id.

  void refresh();
  // Device files of cards that sleep: asking about a client of theirs wakes some of them.
  std::set<std::string> sleeping_files() const;
  void scan_process(const std::string& pid, const std::set<std::string>& asleep,
                    Clients& found) const;
  bool counts(const DrmClient& client) const;
  // The busiest kind of engine of this process on this card between the two passes.
  std::optional<double> busy_of(int pid, std::string_view pci) const;

  const Host host_;
  const Tree tree_;
  const std::vector<std::string> drivers_;
  std::mutex mutex_;  // Of what follows.
  Clients now_, before_;
  Boot now_at_{}, before_at_{};
  bool looked_ = false, looked_twice_ = false;
};

}  // namespace gpusched::watch
