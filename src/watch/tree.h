// Reading of small files below a root: sysfs and procfs, or a tree that a test has made. A file
// that is not there or cannot be read is an absent value; nothing here is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpusched::watch {

class Tree {
 public:
  explicit Tree(std::string root) : root_(std::move(root)) {}

  // At most `limit` bytes; what is longer is cut.
  std::optional<std::string> text(std::string_view path, std::size_t limit = 64 * 1024) const;
  // Without blanks around it; empty counts as absent.
  std::optional<std::string> word(std::string_view path) const;
  std::optional<std::uint64_t> number(std::string_view path) const;
  // Names in a directory, sorted, without those that begin with a dot.
  std::vector<std::string> names(std::string_view path) const;
  std::optional<std::string> link_target(std::string_view path) const;
  bool exists(std::string_view path) const;

 private:
  std::string at(std::string_view path) const;

  std::string root_;
};

}  // namespace gpusched::watch
