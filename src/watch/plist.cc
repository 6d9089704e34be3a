#include "watch/plist.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "watch/numbers.h"

namespace gpusched::watch {
namespace {

// Deeper than anything that powermetrics prints; bounds our own recursion.
constexpr int kDeepest = 32;

struct Tag {
  std::string_view name;
  bool closing = false;
  bool empty = false;  // <true/>
};

// A reader that walks over the text once. The first mistake ends it.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text), size_(text.size()) {}

  Result<PlistValue> document() {
    auto tag = next_tag();
    if (!tag) return failure(tag.error());
    if (tag->name != "plist" || tag->closing || tag->empty) return mistake("a plist is expected");
    tag = next_tag();
    if (!tag) return failure(tag.error());
    auto value = value_of(*tag, 0);
    if (!value) return value;
    tag = next_tag();
    if (!tag) return failure(tag.error());
    if (tag->name != "plist" || !tag->closing) return mistake("</plist> is expected");
    if (!trimmed(rest_).empty()) return mistake("something follows </plist>");
    return value;
  }

 private:
  tl::unexpected<Error> mistake(std::string_view what) const {
    return failure(ErrorCode::kInvalid,
                   fmt::format("plist, byte {}: {}", size_ - rest_.size(), what));
  }

  // Over blanks, comments, the XML declaration and the document type to the next element's tag.
  Result<Tag> next_tag() {
    for (;;) {
      rest_ = rest_.substr(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
      if (!rest_.starts_with('<')) return mistake("a tag is expected");
      if (rest_.starts_with("<!--")) {
        const std::size_t end = rest_.find("-->");
        if (end == std::string_view::npos) return mistake("a comment does not end");
        rest_.remove_prefix(end + 3);
        continue;
      }
      const std::size_t end = rest_.find('>');
      if (end == std::string_view::npos) return mistake("a tag does not end");
      std::string_view inside = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
      if (inside.starts_with('?') || inside.starts_with('!')) continue;
      return tag_of(inside);
    }
  }

  static Tag tag_of(std::string_view inside) {
    Tag tag;
    if (inside.starts_with('/')) {
      tag.closing = true;
      inside.remove_prefix(1);
    }
    if (inside.ends_with('/')) {
      tag.empty = true;
      inside.remove_suffix(1);
    }
    // Attributes, such as the plist's version, tell us nothing.
    tag.name = inside.substr(0, inside.find_first_of(" \t\r\n"));
    return tag;
  }

  Result<PlistValue> value_of(const Tag& tag, int depth) {
    if (tag.closing) return mistake("a value is expected");
    if (depth > kDeepest) return mistake("too deep");
    if (tag.name == "dict") return dict_of(tag, depth);
    if (tag.name == "array") return array_of(tag, depth);
    if (tag.name == "true" || tag.name == "false") {
      if (!tag.empty) {
        const auto end = next_tag();
        if (!end) return failure(end.error());
        if (!end->closing || end->name != tag.name) return mistake("a switch has content");
      }
      return PlistValue{tag.name == "true"};
    }
    auto content = tag.empty ? Result<std::string>(std::string{}) : content_of(tag.name);
    if (!content) return failure(content.error());
    return scalar_of(tag.name, std::move(*content));
  }

  Result<PlistValue> scalar_of(std::string_view name, std::string content) const {
    if (name == "string" || name == "date" || name == "data") return PlistValue{std::move(content)};
    if (name == "integer") {
      const bool negative = trimmed(content).starts_with('-');
      const auto size = whole_number(trimmed(content).substr(negative ? 1 : 0));
      if (!size || *size > INT64_MAX) return mistake("not an integer");
      const auto value = static_cast<std::int64_t>(*size);
      return PlistValue{negative ? -value : value};
    }
    if (name == "real") {
      const auto value = decimal_number(content);
      if (!value) return mistake("not a number");
      return PlistValue{*value};
    }
    return mistake(fmt::format("<{}> is not known", name.substr(0, 32)));
  }

  Result<PlistValue> dict_of(const Tag& tag, int depth) {
    PlistValue::Dict entries;
    while (!tag.empty) {
      auto next = next_tag();
      if (!next) return failure(next.error());
      if (next->closing && next->name == "dict") break;
      if (next->closing || next->name != "key") return mistake("a key is expected");
      auto key = next->empty ? Result<std::string>(std::string{}) : content_of("key");
      if (!key) return failure(key.error());
      next = next_tag();
      if (!next) return failure(next.error());
      auto value = value_of(*next, depth + 1);
      if (!value) return value;
      entries.keys.push_back(std::move(*key));
      entries.values.push_back(std::move(*value));
    }
    return PlistValue{std::move(entries)};
  }

  Result<PlistValue> array_of(const Tag& tag, int depth) {
    PlistValue::Array items;
    while (!tag.empty) {
      const auto next = next_tag();
      if (!next) return failure(next.error());
      if (next->closing && next->name == "array") break;
      auto item = value_of(*next, depth + 1);
      if (!item) return item;
      items.push_back(std::move(*item));
    }
    return PlistValue{std::move(items)};
  }

  // Text up to the closing tag of this name, with the entities that XML itself knows.
  Result<std::string> content_of(std::string_view name) {
    const std::size_t end = rest_.find('<');
    if (end == std::string_view::npos) return mistake("a value does not end");
    std::string_view raw = rest_.substr(0, end);
    rest_.remove_prefix(end);
    const auto tag = next_tag();
    if (!tag) return failure(tag.error());
    if (!tag->closing || tag->name != name) return mistake("a value has the wrong end");
    std::string content;
    while (!raw.empty()) {
      const std::size_t mark = std::min(raw.find('&'), raw.size());
      content += raw.substr(0, mark);
      raw.remove_prefix(mark);
      if (raw.empty()) break;
      const std::size_t length = append_entity(raw, content);
      if (length == 0) return mistake("an unknown entity");
      raw.remove_prefix(length);
    }
    return content;
  }

  // The length of the entity at the front; 0: not one of the five.
  static std::size_t append_entity(std::string_view raw, std::string& content) {
    constexpr std::pair<std::string_view, char> kEntities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (const auto& [entity, meaning] : kEntities) {
      if (raw.starts_with(entity)) {
        content += meaning;
        return entity.size();
      }
    }
    return 0;
  }

  std::string_view rest_;
  std::size_t size_;
};

}  // namespace

const PlistValue* PlistValue::find(std::string_view key) const {
  const auto* dict = std::get_if<Dict>(&value);
  if (dict == nullptr) return nullptr;
  const auto entry = std::ranges::find(dict->keys, key);
  if (entry == dict->keys.end()) return nullptr;
  return &dict->values[static_cast<std::size_t>(entry - dict->keys.begin())];
}

std::optional<double> PlistValue::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

Result<PlistValue> parse_plist(std::string_view text) { return Reader(text).document(); }

}  // namespace gpusched::watch
