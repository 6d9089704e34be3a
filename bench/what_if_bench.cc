// What POST /v1/whatif costs beside the loop: a past of so many jobs on eight cards is replayed as
// configured and with a card more, and compared, as the daemon does it.
// Usage: what_if_bench [JOBS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "api/what_if_answer.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr Wall kBegin{Seconds{1'767'225'600}};
constexpr int kTenants = 8;

// As they came: four in five are an hour at most, some want several cards, half share.
std::vector<replay::PastJob> past(std::size_t count) {
  std::mt19937 random(1);
  std::vector<replay::PastJob> jobs;
  Wall at = kBegin;
  for (std::size_t i = 0; i < count; ++i) {
    at += Seconds{random() % 200};
    replay::PastJob one;
    one.job.line = i + 1;
    one.job.tenant = fmt::format("ml{}", random() % kTenants);
    one.job.priority = random() % 10 == 0 ? 70 : 50;
    one.job.duration = Seconds{60 + random() % (random() % 5 == 0 ? 14'400 : 3'600)};
    one.job.needs.cpus = 1;
    if (random() % 2 == 0) {
      one.job.needs.vram_bytes = (4 + random() % 20) * kGiB;
    } else if (random() % 8 == 0) {
      one.job.needs.gpus = {4, 4};
    }
    one.submitted = at;
    one.started = at + Seconds{random() % 7'200};
    one.ended = one.started + one.job.duration;
    one.cards = {static_cast<int>(random() % 8)};
    jobs.push_back(std::move(one));
  }
  return jobs;
}

int run(std::size_t count) {
  const auto begin = std::chrono::steady_clock::now();
  replay::WhatIf asked;
  asked.machine = *replay::describe_machine("8x80G", "64", "512G");
  asked.add_cards = {"80G"};
  std::vector<replay::PastJob> jobs = past(count);
  WhatIfAbout about;
  for (const replay::PastJob& one : jobs) about.shown[one.job.line] = {};
  const auto made = std::chrono::steady_clock::now();
  const auto answer = what_if_json(asked, about, std::move(jobs));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - made;
  const std::chrono::duration<double> making = made - begin;
  if (!answer) {
    fmt::print(stderr, "{}\n", answer.error().message);
    return 1;
  }
  fmt::print(
      "{} jobs: two replays and their comparison {:.2f} s, an answer of {} bytes "
      "(the past was made in {:.2f} s)\n{}\n",
      count, took.count(), answer->size(), making.count(), answer->substr(0, 700));
  return 0;
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 10'000;
  return gpusched::run(static_cast<std::size_t>(std::max(1L, count)));
}
