// A value that few have. Left at its default it costs a pointer and no more, which counts where
// there are a hundred thousand of them. Copies are copies: nothing is shared.
#pragma once

#include <compare>
#include <memory>
#include <utility>

namespace gpusched {

template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(T value) { *this = std::move(value); }  // NOLINT: it stands for the value.
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  ~Rare() = default;
  Rare& operator=(const Rare& other) {
    if (this != &other) value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  Rare& operator=(T value) {
    value_ = value == T{} ? nullptr : std::make_unique<T>(std::move(value));
    return *this;
  }

  const T& operator*() const { return value_ ? *value_ : default_value(); }
  const T* operator->() const { return &**this; }
  // Certain: it is the default. False says nothing.
  bool unset() const { return !value_; }
  // To change a part of it. What has become the default again still takes its room.
  T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

  friend bool operator==(const Rare& a, const Rare& b) {
    return (!a.value_ && !b.value_) || *a == *b;
  }
  friend auto operator<=>(const Rare& a, const Rare& b) requires std::three_way_comparable<T> {
    using Order = std::compare_three_way_result_t<T>;
    return !a.value_ && !b.value_ ? Order(std::strong_ordering::equal) : *a <=> *b;
  }

 private:
  static const T& default_value() {
    static const T value{};
    return value;
  }
  std::unique_ptr<T> value_;
};

}  // namespace gpusched
