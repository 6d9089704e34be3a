// Threads for what may block (name service, files) or take long (parsing 64 MiB), so that the loop
// never does. A user has one of them at a time: who keeps it busy, or makes it hang in a file
// system of their own, waits alone. Started when needed. A thread stuck in somebody else's code at
// shutdown is left behind, not waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace gpusched {

class Background {
 public:
  // What is to be run on the loop when the work is done.
  using Then = std::function<void()>;

  explicit Background(boost::asio::io_context& loop, std::size_t threads = 1);
  ~Background();

  // Runs `work` on a thread, in order for each user, then what it returns on the loop; the latter
  // is dropped if this object is gone by then. `work` must own all it touches. `uid` is whose doing
  // it is if it takes long.
  void post(std::uint32_t uid, std::function<Then()> work);
  // The same for work that takes so long that it must never be done on the loop. False: there is
  // no thread to be had, and nothing was taken.
  bool post_aside(std::uint32_t uid, std::function<Then()> work);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace gpusched
