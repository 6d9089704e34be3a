#include "config/receivers_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "config/receiver_fields.h"
#include "config/values.h"

namespace gpusched {
namespace {

constexpr std::size_t kReceiversMost = 100;
constexpr std::size_t kReceiverNameMost = 64;

bool is_receiver_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kReceiverNameMost && std::ranges::all_of(name, fits);
}

class ReceiversReading {
 public:
  explicit ReceiversReading(const WrongAt& wrong_at) : wrong_at_(wrong_at) {}

  Result<Receivers> map(const YAML::Node& map) {
    for (const auto& entry : map) {
      const YAML::Mark mark = entry.first.Mark();
      if (!entry.first.IsScalar() || !is_receiver_name(entry.first.Scalar())) {
        return wrong_at_(mark, "receivers: a name has letters, digits, '-', '_' and '.' only");
      }
      const std::string& name = entry.first.Scalar();
      if (name == "none") {
        return wrong_at_(mark, "receivers: --notify none is nobody; give it another name");
      }
      if (receivers_.size() == kReceiversMost) {
        return wrong_at_(mark, fmt::format("receivers: more than {} of them", kReceiversMost));
      }
      const auto [place, fresh] = receivers_.try_emplace(name);
      if (!fresh) return wrong_at_(mark, fmt::format("\"receivers.{}\" is set twice", name));
      place->second.name = name;
      if (!entry.second.IsMap()) {
        return wrong_at_(entry.second.Mark(),
                         fmt::format("receivers.{} must be like {{channel: slack, url_file: "
                                     "/etc/gpusched/slack.url}}",
                                     name));
      }
      if (auto read = receiver(place->second, mark, entry.second); !read) {
        return failure(read.error());
      }
    }
    return std::move(receivers_);
  }

 private:
  Result<void> receiver(Receiver& receiver, const YAML::Mark& mark, const YAML::Node& node) {
    const std::string path = "receivers." + receiver.name;
    if (!node["channel"]) return wrong_at_(mark, path + ".channel is missing");
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Mark at = entry.first.Mark();
      if (!entry.first.IsScalar()) return wrong_at_(at, "a setting's name must be a word");
      const std::string& key = entry.first.Scalar();
      if (!seen.insert(key).second) {
        return wrong_at_(at, fmt::format("\"{}.{}\" is set twice", path, key));
      }
      if (auto read = field(receiver, path, key, entry.first.Mark(), entry.second); !read) {
        return read;
      }
    }
    for (const ReceiverField& field : receiver_fields()) {
      if (!seen.contains(std::string(field.key)) || field.kinds.empty()) continue;
      if (field.kinds.find_first_of(channel_kinds(receiver.channel)) != std::string_view::npos) {
        continue;
      }
      return wrong_at_(mark, fmt::format("{}: a receiver of channel {} has no {}", path,
                                         channel_word(receiver.channel), field.key));
    }
    if (const std::string fault = fault_of_receiver(receiver); !fault.empty()) {
      return wrong_at_(mark, fmt::format("{}: {}", path, fault));
    }
    return {};
  }

  Result<void> field(Receiver& receiver, const std::string& path, const std::string& key,
                     const YAML::Mark& mark, const YAML::Node& value) {
    if (key == "secret" || key == "password" || key == "token") {
      return wrong_at_(mark, fmt::format("{}.{}: secrets do not stand in this file; put it into a "
                                         "file of its own and name that as secret_file",
                                         path, key));
    }
    const auto& fields = receiver_fields();
    const auto found = std::ranges::find(fields, std::string_view(key), &ReceiverField::key);
    if (found == fields.end()) return unknown(mark, path, key);
    std::vector<std::string> texts;
    if (found->list && value.IsSequence()) {
      for (const YAML::Node& one : value) {
        if (!one.IsScalar()) {
          return wrong_at_(one.Mark(), fmt::format("{}.{} must be a list of words", path, key));
        }
        texts.push_back(one.Scalar());
      }
    } else if (value.IsScalar()) {
      texts.push_back(value.Scalar());
    } else {
      return wrong_at_(value.Mark(),
                       fmt::format("{}.{} must be {}", path, key,
                                   found->list ? "a list of words" : "a single value"));
    }
    const auto read = found->read(receiver, texts);
    if (read) return {};
    return wrong_at_(value.Mark(), fmt::format("{}.{}: {}", path, key, read.error().message));
  }

  Result<void> unknown(const YAML::Mark& mark, const std::string& path, const std::string& key) {
    std::vector<std::string_view> candidates;
    for (const ReceiverField& field : receiver_fields()) candidates.push_back(field.key);
    std::string message = fmt::format("unknown setting \"{}.{}\"", path, key);
    const std::string nearest = nearest_word(key, candidates.data(), candidates.size());
    if (!nearest.empty()) message += fmt::format("; did you mean \"{}\"?", nearest);
    return wrong_at_(mark, message);
  }

  const WrongAt& wrong_at_;
  Receivers receivers_;
};

}  // namespace

Result<Receivers> read_receivers(const YAML::Node& map, const WrongAt& wrong_at) {
  return ReceiversReading(wrong_at).map(map);
}

std::string receivers_text(const Receivers& receivers, std::string_view indent) {
  if (receivers.empty()) return "{}";
  std::string text;
  for (const auto& [name, receiver] : receivers) {
    text += fmt::format("\n{}{}:", indent, quoted(name));
    for (const ReceiverField& field : receiver_fields()) {
      const auto value = field.write(receiver);
      if (value) text += fmt::format("\n{}  {}: {}", indent, field.key, *value);
    }
  }
  return text;
}

}  // namespace gpusched
