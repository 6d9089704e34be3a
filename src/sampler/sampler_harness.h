// Talks to a sampler in a test: reads its reports in order until the one that is waited for, with
// a deadline, and writes orders.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "os/clock.h"
#include "os/fd.h"
#include "wire/sampler_lines.h"

namespace gpusched::testing {

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  Fd read, write;
};

class Conversation {
 public:
  Conversation(Fd reports, Fd orders) : reports_(std::move(reports)), orders_(std::move(orders)) {}

  void say(const watch::Order& order) { say_text(write_order(order) + "\n"); }
  void say_text(const std::string& text) {
    EXPECT_EQ(::write(orders_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() { orders_.reset(); }

  // The next report of this kind that fits; what comes before it is passed over, and kept in
  // `passed`. Absent: the other end was closed, or nothing came within twenty seconds.
  template <class Kind>
  std::optional<Kind> wait_for(std::function<bool(const Kind&)> fits = {}) {
    passed.clear();
    const Boot deadline = read_clock().boot + std::chrono::seconds{20};
    while (auto report = next(deadline)) {
      if (const auto* found = std::get_if<Kind>(&*report)) {
        if (!fits || fits(*found)) return *found;
      }
      passed.push_back(std::move(*report));
    }
    return std::nullopt;
  }
  std::optional<watch::SampleReport> sample_of(
      int card, std::function<bool(const watch::SampleReport&)> fits = {}) {
    return wait_for<watch::SampleReport>([&](const watch::SampleReport& report) {
      return number_of(report.card) == card && (!fits || fits(report));
    });
  }
  // All that was said until the other end was closed.
  std::vector<watch::Report> rest() {
    std::vector<watch::Report> all;
    const Boot deadline = read_clock().boot + std::chrono::seconds{20};
    while (auto report = next(deadline)) all.push_back(std::move(*report));
    return all;
  }

  std::vector<watch::Report> passed;

 private:
  std::optional<watch::Report> next(Boot deadline) {
    while (true) {
      if (const std::size_t end = text_.find('\n'); end != std::string::npos) {
        const std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        auto report = read_report(line);
        EXPECT_TRUE(report) << report.error().message << "\n" << line;
        if (report) return *report;
        continue;
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - read_clock().boot);
      pollfd wait{reports_.get(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0) {
        return std::nullopt;
      }
      char buffer[4096];
      const ssize_t got = ::read(reports_.get(), buffer, sizeof buffer);
      if (got <= 0) return std::nullopt;
      text_.append(buffer, static_cast<std::size_t>(got));
    }
  }

  Fd reports_, orders_;
  std::string text_;
};

}  // namespace gpusched::testing
