// One long-lived powermetrics, followed by a thread of its own: starting it takes longer than a
// sample is worth, and a pipe that nobody empties would hold old samples. When it dies or falls
// silent it is started again, later each time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "os/fd.h"
#include "watch/child.h"
#include "watch/host.h"
#include "watch/powermetrics_text.h"

namespace gpusched::watch {

struct PowermetricsTiming {
  std::chrono::milliseconds interval{1000};
  std::chrono::milliseconds first_answer{5000};  // From its start to the first sample.
  std::chrono::milliseconds silence{5000};       // After that a sample is old, and it hangs.
  std::chrono::milliseconds first_pause{1000};   // Before it is started again; doubles.
  std::chrono::milliseconds longest_pause{60000};
};

class PowermetricsStream {
 public:
  struct Latest {
    PowermetricsReading reading;
    std::optional<double> energy_joules;  // Since we began to look.
    Boot at{};
  };

  PowermetricsStream(std::string program, const Host& host, const PowermetricsTiming& timing);
  ~PowermetricsStream();
  PowermetricsStream(const PowermetricsStream&) = delete;
  PowermetricsStream& operator=(const PowermetricsStream&) = delete;

  // The newest sample; waits for the first one. kUnavailable, with what the program said, while
  // there is none that is fresh.
  Result<Latest> latest();

 private:
  void follow();
  // Runs it until it ends or hangs, or until we are to stop. Returns why.
  std::string run_once();
  void take(std::string_view bytes, PlistStream& stream);
  bool stopping();

  const std::string program_;
  const Host host_;
  const PowermetricsTiming timing_;
  Fd stop_reader_, stop_writer_;  // Closing the second ends every wait of the thread.
  std::mutex mutex_;              // Of what follows.
  std::condition_variable changed_;
  std::optional<Latest> latest_;
  std::string trouble_;  // Why it does not run; empty: it does.
  bool stopping_ = false;
  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace gpusched::watch
