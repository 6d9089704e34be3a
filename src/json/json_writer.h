// Writes JSON straight into a string: no tree in between, so that a list of 100,000 jobs costs
// its bytes and nothing more. Commas are the writer's business; nesting is the caller's.
//
// Strings may hold any bytes: what is not UTF-8 becomes \udcXX (docs/api.md), which json_value
// reads back to the same bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

// Appends `bytes` as a JSON string, quotes included.
void append_json_string(std::string& out, std::string_view bytes);
// Appends RFC 3339 in UTC with milliseconds, without quotes.
void append_json_time(std::string& out, Wall time);

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  // REQUIRES: a name that needs no escaping; every key of ours is such a word.
  JsonWriter& key(std::string_view name) {
    comma();
    out_ += '"';
    out_ += name;
    out_ += "\":";
    need_comma_ = false;
    return *this;
  }
  // A key that somebody else chose.
  JsonWriter& foreign_key(std::string_view name) {
    comma();
    append_json_string(out_, name);
    out_ += ':';
    need_comma_ = false;
    return *this;
  }

  JsonWriter& value(std::string_view text) {
    comma();
    append_json_string(out_, text);
    return done();
  }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::same_as<bool> auto fact) { return raw(fact ? "true" : "false"); }
  JsonWriter& value(std::integral auto number) requires(!std::same_as<decltype(number), bool>) {
    return integer(number);
  }
  JsonWriter& value(double number);  // Not finite: null.
  JsonWriter& value(JobId id) { return integer(number_of(id)); }
  JsonWriter& value(Seconds duration) { return integer(duration.count()); }
  JsonWriter& value(Wall time) {
    comma();
    out_ += '"';
    append_json_time(out_, time);
    out_ += '"';
    return done();
  }
  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  JsonWriter& null() { return raw("null"); }
  // Text that is JSON already.
  JsonWriter& raw(std::string_view json) {
    comma();
    out_ += json;
    return done();
  }
  // An empty text means that the fact is absent.
  JsonWriter& text_or_null(std::string_view text) { return text.empty() ? null() : value(text); }

  template <class T>
  JsonWriter& field(std::string_view name, const T& what) {
    key(name);
    return value(what);
  }

  // How much has been written; for cutting a stream into pieces.
  std::size_t size() const { return out_.size(); }

 private:
  void comma() {
    if (need_comma_) out_ += ',';
  }
  JsonWriter& done() {
    need_comma_ = true;
    return *this;
  }
  JsonWriter& open(char bracket) {
    comma();
    out_ += bracket;
    need_comma_ = false;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_ += bracket;
    return done();
  }
  JsonWriter& integer(std::int64_t number);
  JsonWriter& integer(std::uint64_t number);
  JsonWriter& integer(std::signed_integral auto number) {
    return integer(static_cast<std::int64_t>(number));
  }
  JsonWriter& integer(std::unsigned_integral auto number) {
    return integer(static_cast<std::uint64_t>(number));
  }

  std::string& out_;
  bool need_comma_ = false;
};

}  // namespace gpusched
