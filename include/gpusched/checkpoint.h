// The job's side of gpusched's checkpoints, for programs in C++17: one header, no library.
//
//   gpusched::job::checkpoint_requested();             // Once, early: from here on it hears the
//   signal. std::uint64_t step = gpusched::job::resuming() ?
//   load(gpusched::job::checkpoint_directory()) : 0; for (; step < total; ++step) {
//     work(step);
//     gpusched::job::progress(step + 1, total);
//     if (gpusched::job::checkpoint_requested()) {
//       save(gpusched::job::checkpoint_directory(), step + 1);
//       gpusched::job::saved();                        // Ends with 75; the next attempt goes on.
//     }
//   }
//
// Outside a job every call is harmless. docs/checkpoint.md has the whole story.
#pragma once

#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace gpusched::job {

// "Saved, start me again."
inline constexpr int kSavedExitCode = 75;

namespace detail {

inline volatile sig_atomic_t signalled = 0;
inline void on_signal(int) { signalled = 1; }

inline std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

inline std::optional<long> number(const char* name) {
  const std::string text = variable(name);
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

// Calls that were interrupted go on: whoever does not ask is not disturbed.
inline bool listen() {
  const std::optional<long> wanted = number("GPUSCHED_CHECKPOINT_SIGNAL");
  if (!wanted) return false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  return ::sigaction(static_cast<int>(*wanted), &action, nullptr) == 0;
}

inline void listen_once() {
  static const bool listening = listen();
  (void)listening;
}

}  // namespace detail

// True once this job was asked to save itself. One stat() per call.
inline bool checkpoint_requested() {
  detail::listen_once();
  if (detail::signalled != 0) return true;
  const std::string request = detail::variable("GPUSCHED_CHECKPOINT_REQUEST");
  struct stat about {};
  return !request.empty() && ::stat(request.c_str(), &about) == 0;
}

// Seconds until the job is stopped; nullopt while nobody has asked, or where no deadline is known.
inline std::optional<double> time_remaining() {
  const std::string request = detail::variable("GPUSCHED_CHECKPOINT_REQUEST");
  std::FILE* file = request.empty() ? nullptr : std::fopen(request.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  double wall = 0;
  double boot = 0;
  const int read = std::fscanf(file, "%lf %lf", &wall, &boot);
  std::fclose(file);
  timespec now{};
  if (read != 2 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const double at = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  return std::max(0.0, boot - at);
}

// The same for all attempts of the job; "checkpoint" outside of one, which is not made here.
inline std::string checkpoint_directory() {
  std::string given = detail::variable("GPUSCHED_CHECKPOINT_DIR");
  return given.empty() ? std::string("checkpoint") : given;
}

// The number of the attempt that saved last; nullopt: begin at the beginning.
inline std::optional<int> resuming() {
  const std::optional<long> attempt = detail::number("GPUSCHED_RESUME");
  if (!attempt) return std::nullopt;
  return static_cast<int>(*attempt);
}

// How far the job is. Not for every microsecond: it writes a small file.
inline void progress(std::uint64_t step, std::uint64_t total) {
  const std::string path = detail::variable("GPUSCHED_PROGRESS");
  if (path.empty()) return;
  const std::string draft = path + "." + std::to_string(::getpid());
  std::FILE* file = std::fopen(draft.c_str(), "we");
  if (file == nullptr) return;
  std::fprintf(file, "%llu %llu\n", static_cast<unsigned long long>(step),
               static_cast<unsigned long long>(total));
  const bool written = std::fclose(file) == 0;
  if (!written || std::rename(draft.c_str(), path.c_str()) != 0) std::remove(draft.c_str());
}

// Destructors of what is static run, as after exit().
[[noreturn]] inline void saved() { std::exit(kSavedExitCode); }

}  // namespace gpusched::job
