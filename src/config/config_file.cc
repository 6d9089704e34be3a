// Knows yaml-cpp, with card_rules_yaml.cc, receivers_yaml.cc, roles_yaml.cc and tenants_yaml.cc; no
// exception of it leaves. leaves.
#include "config/config_file.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "config/alarms_yaml.h"
#include "config/card_rules_yaml.h"
#include "config/receivers_yaml.h"
#include "config/roles_yaml.h"
#include "config/setting_kinds.h"
#include "config/settings.h"
#include "config/tenants_yaml.h"

namespace gpusched {
namespace {

constexpr std::size_t kLargestFile = 1U << 20;

// Where the documents of a file begin. YAML::LoadAll does not end on some malformed files (",d"):
// it finds empty documents at the same place for ever, so the parser is driven by hand.
class DocumentStarts : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { marks.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  std::vector<YAML::Mark> marks;
};

// The first two are enough to know whether there is one.
std::vector<YAML::Mark> document_starts(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  while (starts.marks.size() < 2 && parser.HandleNextDocument(starts)) {
  }
  return starts.marks;
}

// Fills a Config from a document and says where the first mistake is.
class Reading {
 public:
  Reading(const std::string& name, SettingLines* lines) : name_(name), lines_(lines) {}

  Result<Config> document(const YAML::Node& root) {
    if (root.IsNull()) return config_;
    if (!root.IsMap()) return wrong(root.Mark(), "the file must be a list of `setting: value`");
    if (auto read = map(root, ""); !read) return failure(read.error());
    if (auto right = check_network(config_.network); !right) {
      return failure(ErrorCode::kInvalid, name_ + ": " + right.error().message);
    }
    std::vector<std::string> receivers;
    for (const auto& [name, receiver] : config_.rules.known_receivers()) receivers.push_back(name);
    if (const auto unknown = check_receivers(config_.alarms, receivers)) {
      return wrong(alarms_at_, *unknown);
    }
    return config_;
  }

  tl::unexpected<Error> wrong(const YAML::Mark& mark, const std::string& message) const {
    const std::string place =
        mark.is_null() ? name_ : fmt::format("{}:{}:{}", name_, mark.line + 1, mark.column + 1);
    return failure(ErrorCode::kInvalid, place + ": " + message);
  }

 private:
  Result<void> map(const YAML::Node& node, const std::string& section) {
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Mark mark = entry.first.Mark();
      if (!entry.first.IsScalar()) return wrong(mark, "a setting's name must be a word");
      const std::string& key = entry.first.Scalar();
      if (!seen.insert(key).second) {
        return wrong(mark, fmt::format("\"{}\" is set twice", path_of(section, key)));
      }
      if (auto read = one(mark, entry.second, section, key); !read) return read;
    }
    return {};
  }

  Result<void> one(const YAML::Mark& mark, const YAML::Node& value, const std::string& section,
                   const std::string& key) {
    for (const Setting& setting : all_settings()) {
      if (setting.section != section || setting.key != key) continue;
      if (lines_ != nullptr) (*lines_)[setting.path()] = mark.line + 1;
      if (setting.tenants && value.IsMap()) return tenants(value);
      if (setting.list && value.IsSequence()) return list(mark, value, setting);
      if (setting.roles && value.IsMap()) return roles(value);
      if (setting.receivers && value.IsMap()) return receivers(value);
      if (setting.alarms && value.IsMap()) return alarms(value);
      if (!setting.card_rules || !value.IsSequence()) return scalar(mark, value, setting);
      auto rules = read_card_rules(value, [this](const YAML::Mark& place, const std::string& what) {
        return wrong(place, what);
      });
      if (!rules) return failure(rules.error());
      config_.card_rules = std::move(*rules);
      return {};
    }
    if (section.empty()) {
      for (const Section& known : all_sections()) {
        if (known.key != key) continue;
        // A section whose settings are all commented out.
        if (value.IsNull()) return {};
        if (!value.IsMap()) {
          return wrong(value.Mark(),
                       fmt::format("\"{}\" is a section: its settings stand below it, "
                                   "indented",
                                   key));
        }
        return map(value, key);
      }
    }
    return unknown(mark, section, key);
  }

  Result<void> tenants(const YAML::Node& value) {
    auto read = read_tenants(value, [this](const YAML::Mark& place, const std::string& what) {
      return wrong(place, what);
    });
    if (!read) return failure(read.error());
    config_.tenants = std::move(*read);
    return {};
  }

  Result<void> list(const YAML::Mark& mark, const YAML::Node& value, const Setting& setting) {
    std::string joined;
    for (const auto& one : value) {
      if (!one.IsScalar() || one.Scalar().empty()) {
        return wrong(one.Mark(), fmt::format("{} must be a list of single values", setting.path()));
      }
      joined += (joined.empty() ? "" : ",") + one.Scalar();
    }
    const auto read = setting.read(config_, joined);
    if (read) return {};
    return wrong(mark, fmt::format("{}: {}", setting.path(), read.error().message));
  }

  Result<void> roles(const YAML::Node& value) {
    auto read = read_roles(value, [this](const YAML::Mark& place, const std::string& what) {
      return wrong(place, what);
    });
    if (!read) return failure(read.error());
    config_.roles = std::move(*read);
    return {};
  }

  Result<void> receivers(const YAML::Node& value) {
    auto read = read_receivers(value, [this](const YAML::Mark& place, const std::string& what) {
      return wrong(place, what);
    });
    if (!read) return failure(read.error());
    config_.rules.receivers = std::make_shared<const Receivers>(std::move(*read));
    return {};
  }

  Result<void> alarms(const YAML::Node& value) {
    auto read = read_alarms(value, [this](const YAML::Mark& place, const std::string& what) {
      return wrong(place, what);
    });
    if (!read) return failure(read.error());
    config_.alarms = std::move(*read);
    alarms_at_ = value.Mark();
    return {};
  }

  Result<void> scalar(const YAML::Mark& mark, const YAML::Node& value, const Setting& setting) {
    if (value.IsNull()) {
      return wrong(
          mark, fmt::format("\"{}\" has no value; leave it out for its default", setting.path()));
    }
    if (!value.IsScalar()) {
      const char* shape = setting.card_rules  ? "a list of rules"
                          : setting.tenants   ? "a map of tenants"
                          : setting.list      ? "a list of single values"
                          : setting.roles     ? "a map of roles"
                          : setting.receivers ? "a map of receivers"
                          : setting.alarms    ? "a map of rules"
                                              : "a single value";
      return wrong(value.Mark(), fmt::format("{} must be {}", setting.path(), shape));
    }
    if (setting.tenants) return wrong(value.Mark(), "tenants must be a map of tenants");
    if (setting.roles) return wrong(value.Mark(), "roles must be a map of roles");
    if (setting.receivers) return wrong(value.Mark(), "receivers must be a map of receivers");
    const auto read = setting.read(config_, value.Scalar());
    if (read) return {};
    return wrong(value.Mark(), fmt::format("{}: {}", setting.path(), read.error().message));
  }

  Result<void> unknown(const YAML::Mark& mark, const std::string& section,
                       const std::string& key) const {
    std::vector<std::string_view> candidates;
    const Setting* elsewhere = nullptr;
    for (const Setting& setting : all_settings()) {
      if (setting.section == section) candidates.push_back(setting.key);
      if (setting.key == key) elsewhere = &setting;
    }
    if (section.empty()) {
      for (const Section& known : all_sections()) candidates.push_back(known.key);
    }
    std::string message = fmt::format("unknown setting \"{}\"", path_of(section, key));
    const std::string nearest = nearest_word(key, candidates.data(), candidates.size());
    if (!nearest.empty()) {
      message += fmt::format("; did you mean \"{}\"?", path_of(section, nearest));
    } else if (elsewhere != nullptr) {
      message += fmt::format("; did you mean \"{}\"?", elsewhere->path());
    }
    return wrong(mark, message);
  }

  static std::string path_of(const std::string& section, const std::string& key) {
    return section.empty() ? key : section + "." + key;
  }

  const std::string& name_;
  SettingLines* lines_;
  Config config_;
  YAML::Mark alarms_at_ = YAML::Mark::null_mark();
};

}  // namespace

Result<Config> parse_config(const std::string& text, const std::string& name, SettingLines* lines) {
  Reading reading(name, lines);
  if (!is_utf8(text)) return failure(ErrorCode::kInvalid, name + ": the file is not UTF-8 text");
  try {
    const std::vector<YAML::Mark> starts = document_starts(text);
    if (starts.empty()) return Config{};
    if (starts.size() > 1) {
      return reading.wrong(starts[1], starts[1].pos == starts[0].pos
                                          ? "not YAML: a value cannot begin here"
                                          : "the file has a second document after ---");
    }
    return reading.document(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return reading.wrong(error.mark, "not YAML: " + error.msg);
  }
}

Result<Config> load_config(const std::string& path, SettingLines* lines) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int why = errno;
    return failure(why == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                   fmt::format("read configuration {}: {}", path, strerror(why)));
  }
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.fail() && !file.eof())) {
    return failure(ErrorCode::kIo, fmt::format("read configuration {}: {}", path, strerror(errno)));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) {
    return failure(ErrorCode::kTooLarge,
                   fmt::format("read configuration {}: it is larger than 1 MiB", path));
  }
  return parse_config(text, path, lines);
}

Result<FoundConfig> find_config(const std::string& given, const EnvironmentLookup& env, bool root) {
  SettingLines lines;
  if (!given.empty()) {
    auto config = load_config(given, &lines);
    if (!config) return failure(config.error());
    return FoundConfig{given, *config, std::move(lines)};
  }
  for (const std::string& path : config_files(env, root)) {
    auto config = load_config(path, &lines);
    if (config) return FoundConfig{path, *config, std::move(lines)};
    if (config.error().code != ErrorCode::kNotFound) return failure(config.error());
  }
  return FoundConfig{};
}

}  // namespace gpusched
