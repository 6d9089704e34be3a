// A directory that is gone, with all that is in it, when the test is.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace gpusched::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const char* place = std::getenv("TMPDIR");
    std::string name = std::string(place != nullptr ? place : "/tmp") + "/gpusched-test-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace gpusched::testing
