// A value, or the sentence that says why there is none.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace jostle {

struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}              // NOLINT: implicit by design
  Expected(Error error) : error_(std::move(error.message)) {}  // NOLINT

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const std::string& error() const { return error_; }

 private:
  std::optional<T> value_;
  std::string error_;
};

}  // namespace jostle
