// Looks whether cards that are missing are back. A driver tells only of those that were there when
// it was opened, so this takes a sampler of its own, which says what it finds and ends. The one at
// work is not disturbed before there is something to be seen.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/sampler_process.h"

namespace gpusched {

class CardSearch {
 public:
  using Found = std::vector<std::string>;  // By UUID.
  // Only while `needed` says so somebody looks.
  CardSearch(boost::asio::io_context& loop, SamplerProcess::Options options,
             std::function<bool()> needed);

  // Tells what was found, after this time, or nothing where nobody had to look. Once; a search that
  // is under way goes on, and `tell` is told then.
  void later(std::chrono::milliseconds pause, std::function<void(const Found&)> tell);
  // Nobody is told any more.
  void stop();

 private:
  void search();
  void finish();

  boost::asio::io_context& loop_;
  SamplerProcess::Options options_;
  std::function<bool()> needed_;
  std::function<void(const Found&)> tell_;
  Found found_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<SamplerProcess> process_;
  // What outlives this object asks it first.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace gpusched
