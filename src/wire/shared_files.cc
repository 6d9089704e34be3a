#include "wire/shared_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace gpusched {
namespace {

struct Written {
  std::string_view field;
  std::string path;  // Absolute, with placeholders.
};

std::vector<Written> written(const WrittenPaths& paths) {
  std::vector<Written> found;
  for (const auto& [field, path] :
       {std::pair<std::string_view, const std::string*>("output_path", &paths.output),
        std::pair<std::string_view, const std::string*>("error_path", &paths.error)}) {
    if (path->empty()) continue;
    std::string full = path->front() == '/' ? *path : paths.working_directory + "/" + *path;
    const bool known = std::ranges::find(found, full, &Written::path) != found.end();
    if (full.starts_with("/dev/") || known) continue;
    found.push_back({field, std::move(full)});
  }
  return found;
}

std::uint64_t hash_of(const std::string& path, const TaskRef& task) {  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325;
  fill_in_pieces(path, task.index, task.values, [&](std::string_view piece) {
    for (const char c : piece) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  });
  return hash;
}

std::string filled(const std::string& path, const TaskRef& task) {
  std::string text;
  fill_in_pieces(path, task.index, task.values, [&](std::string_view piece) { text += piece; });
  return text;
}

constexpr std::string_view kIndex = "{index}";

// Whatever the numbers in them: they begin or end in different ways.
bool never_equal(std::string_view a, std::string_view b) {
  const auto begins = [](std::string_view path) { return path.substr(0, path.find(kIndex)); };
  const auto ends = [](std::string_view path) {
    return path.substr(path.rfind(kIndex) + kIndex.size());
  };
  const std::string_view first = begins(a), second = begins(b);
  if (!first.starts_with(second) && !second.starts_with(first)) return true;
  return !ends(a).ends_with(ends(b)) && !ends(b).ends_with(ends(a));
}

// An array's indices all differ, and so does what has one of them in it.
bool differs_by_index(const std::vector<Written>& files, const SweepRef& sweep) {
  for (const Written& file : files) {
    if (file.path.find(kIndex) == std::string::npos) return false;
  }
  if (files.size() == 2 && !never_equal(files[0].path, files[1].path)) return false;
  for (std::size_t i = 0; i < sweep.count; ++i) {
    if (!sweep.at(i).values.empty()) return false;
  }
  return true;
}

struct Use {
  std::uint64_t hash = 0;
  std::uint32_t task = 0;
  std::uint32_t file = 0;
};

std::string sentence(const Written& file, std::uint32_t first, std::uint32_t second,
                     const std::string& path, FieldName name) {
  return fmt::format(
      "jobs {} and {} of the sweep would both write to {}; put {{index}} or a parameter into {}",
      first, second, path, name(file.field));
}

}  // namespace

std::optional<std::string> fault_of_shared_files(const WrittenPaths& paths, const SweepRef& sweep,
                                                 FieldName name) {
  if (sweep.count < 2) return std::nullopt;
  const std::vector<Written> files = written(paths);
  if (files.empty() || differs_by_index(files, sweep)) return std::nullopt;
  for (const Written& file : files) {
    if (file.path.find('{') != std::string::npos) continue;
    return sentence(file, sweep.at(0).index, sweep.at(1).index, file.path, name);
  }
  std::vector<Use> uses;
  uses.reserve(sweep.count * files.size());
  for (std::size_t i = 0; i < sweep.count; ++i) {
    for (std::size_t f = 0; f < files.size(); ++f) {
      uses.push_back({hash_of(files[f].path, sweep.at(i)), static_cast<std::uint32_t>(i),
                      static_cast<std::uint32_t>(f)});
    }
  }
  std::ranges::sort(uses, {}, [](const Use& use) { return std::tuple(use.hash, use.task); });
  // Equal hashes are looked at as texts: two different ones may have the same.
  std::map<std::string, std::uint32_t> of_hash;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const bool as_before = i > 0 && uses[i].hash == uses[i - 1].hash;
    const bool as_next = i + 1 < uses.size() && uses[i].hash == uses[i + 1].hash;
    if (!as_before) of_hash.clear();
    if (!as_before && !as_next) continue;
    const Written& file = files[uses[i].file];
    const TaskRef task = sweep.at(uses[i].task);
    const auto [same, fresh] = of_hash.try_emplace(filled(file.path, task), uses[i].task);
    if (fresh || same->second == uses[i].task) continue;
    return sentence(file, sweep.at(same->second).index, task.index, same->first, name);
  }
  return std::nullopt;
}

}  // namespace gpusched
