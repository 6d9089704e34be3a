// Names of users by number. A name service may take its time or hang, so a thread of its own asks
// it; who wants a name waits a moment at most, and gets none until the answer is there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace gpusched {

class UserNames {
 public:
  // `look_up` may block; empty: no such user. By default the system's name service.
  explicit UserNames(std::function<std::string(std::uint32_t)> look_up = {});
  ~UserNames();
  UserNames(const UserNames&) = delete;
  UserNames& operator=(const UserNames&) = delete;

  // Absent: not known yet. Empty: there is none.
  std::optional<std::string> name_of(std::uint32_t uid);

 private:
  // Shared with the thread, which may outlive us in a name service that never answers.
  struct Shared {
    std::mutex mutex;
    std::condition_variable asked, answered;
    std::map<std::uint32_t, std::optional<std::string>> names;  // Absent value: being looked up.
    std::set<std::uint32_t> wanted;
    bool stop = false;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace gpusched
