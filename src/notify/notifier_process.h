// gpusched-notifier as a child: deliveries are written to it, what became of them is read, its end
// is noticed. It has no rights and nothing of ours but its pipes and the journal. However stuck it
// is, nobody waits for it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "wire/notifier_lines.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class LineChild;

class NotifierProcess {
 public:
  struct Handlers {
    std::function<void(DeliveryOutcome)> outcome;
    // With its wait status. Nothing is called afterwards.
    std::function<void(int)> ended;
    // A line that could not be read.
    std::function<void(const std::string&)> complain;
  };

  // `journal`: becomes its descriptor 3.
  static Result<std::unique_ptr<NotifierProcess>> start(boost::asio::io_context& loop,
                                                        const std::string& program, int journal,
                                                        Handlers handlers);
  // Its input ends: it finishes what it has begun, and ends by itself. Nothing is called.
  ~NotifierProcess();

  void send(const Delivery& delivery);
  // Ends it; `ended` follows when it is gone.
  void kill();

 private:
  explicit NotifierProcess(std::unique_ptr<LineChild> child);
  std::unique_ptr<LineChild> child_;
};

// The program beside the running one, or where it was installed to.
std::string find_notifier_program();

}  // namespace gpusched
