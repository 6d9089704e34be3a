// Numbers and byte strings in packets between our own processes: little-endian, length-prefixed.
// A reader never throws and never reads past its input: once something does not fit it fails for
// good, and the caller asks ok() at the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gpusched {

class WireWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { raw(value); }
  void u64(std::uint64_t value) { raw(value); }
  void i64(std::int64_t value) { raw(static_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }
  // The rest of the packet: no length in front.
  void rest(std::string_view value) { bytes_.append(value); }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void raw(T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
  }
  std::string bytes_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : left_(bytes) {}

  std::uint8_t u8() { return raw<std::uint8_t>(); }
  std::uint32_t u32() { return raw<std::uint32_t>(); }
  std::uint64_t u64() { return raw<std::uint64_t>(); }
  std::int64_t i64() { return static_cast<std::int64_t>(raw<std::uint64_t>()); }
  std::string text() {
    const std::uint32_t size = u32();
    if (size > left_.size()) return fail();
    std::string value(left_.substr(0, size));
    left_.remove_prefix(size);
    return value;
  }
  std::string rest() {
    std::string value(left_);
    left_ = {};
    return value;
  }
  // How many elements may follow at most, so that a damaged count cannot ask for memory.
  std::uint32_t count(std::size_t least_bytes_each) {
    const std::uint32_t value = u32();
    if (value > left_.size() / least_bytes_each) {
      fail();
      return 0;
    }
    return value;
  }
  // Everything was there and nothing is left.
  bool ok() const { return !failed_ && left_.empty(); }

 private:
  std::string fail() {
    failed_ = true;
    left_ = {};
    return {};
  }
  template <class T>
  T raw() {
    T value{};
    if (left_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view left_;
  bool failed_ = false;
};

}  // namespace gpusched
