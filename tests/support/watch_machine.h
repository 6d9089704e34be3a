// A machine made of files: a tree for sysfs and procfs, a directory of stand-in programs, a clock
// that stands still until it is moved.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "tests/support/temporary_directory.h"
#include "watch/host.h"

namespace gpusched::testing {

class WatchMachine {
 public:
  WatchMachine() {
    std::filesystem::create_directories(directory_ / "root");
    std::filesystem::create_directories(directory_ / "bin");
  }

  watch::Host host() const {
    return {directory_ / "root", directory_ / "bin",
            [now = now_] { return Boot{Microseconds{*now}}; }};
  }
  // The same files with the machine's own clock, for what really waits.
  watch::Host host_in_real_time() const {
    return {directory_ / "root", directory_ / "bin", [] { return read_clock().boot; }};
  }
  void pass(Microseconds time) { *now_ += time.count(); }

  // A file of the tree; directories are made.
  void file(const std::string& path, const std::string& text) const {
    const std::filesystem::path place = directory_ / ("root/" + path);
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place) << text;
  }
  void link(const std::string& path, const std::string& target) const {
    const std::filesystem::path place = directory_ / ("root/" + path);
    std::filesystem::create_directories(place.parent_path());
    std::filesystem::create_symlink(target, place);
  }
  void remove(const std::string& path) const {
    std::filesystem::remove_all(directory_ / ("root/" + path));
  }
  // A shell script; $here is the directory that `note` writes to.
  void program(const std::string& name, const std::string& script) const {
    const std::string place = directory_ / ("bin/" + name);
    std::ofstream(place) << "#!/bin/sh\nhere=" << directory_.path() << "\n" << script << "\n";
    ::chmod(place.c_str(), 0755);
  }
  void note(const std::string& path, const std::string& text) const {
    const std::filesystem::path place = directory_ / path;
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place) << text;
  }
  std::string noted(const std::string& path) const {
    std::ifstream file(directory_ / path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  TemporaryDirectory directory_;
  // In microseconds; atomic, for backends have threads that look at it.
  std::shared_ptr<std::atomic<std::int64_t>> now_ =
      std::make_shared<std::atomic<std::int64_t>>(3'600'000'000);
};

}  // namespace gpusched::testing
