// One thread for what may block (name service, files) or take long (parsing 64 MiB), so that the
// loop never does. Started with its first piece of work. A thread stuck in somebody else's code at
// shutdown is left behind, not waited for.
#pragma once

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

  explicit Background(boost::asio::io_context& loop);
  ~Background();

  // Runs `work` on the thread, in order, then what it returns on the loop; the latter is dropped
  // if this object is gone by then. `work` must own all it touches.
  void post(std::function<Then()> work);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace gpusched
