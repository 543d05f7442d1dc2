// Plain data as bytes, for a file that the same program reads again.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/types.h"

namespace jostle::checking {

class Writer {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  template <class T>
  void list(const std::vector<T>& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    value<std::uint64_t>(v.size());
    if (!v.empty()) bytes_.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T));
  }
  void text(std::string_view s) {
    value<std::uint64_t>(s.size());
    bytes_ += s;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What is not there reads as zero, and ok() is false from then on.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T v{};
    if (bytes_.size() < sizeof v) {
      ok_ = false;
      return v;
    }
    bytes_.copy(reinterpret_cast<char*>(&v), sizeof v);
    bytes_.remove_prefix(sizeof v);
    return v;
  }
  template <class T>
  std::vector<T> list() {
    const auto n = value<std::uint64_t>();
    std::vector<T> v;
    if (n > bytes_.size() / sizeof(T)) {
      ok_ = false;
      return v;
    }
    v.resize(n);
    bytes_.copy(reinterpret_cast<char*>(v.data()), n * sizeof(T));
    bytes_.remove_prefix(n * sizeof(T));
    return v;
  }
  std::string text() {
    const std::vector<char> v = list<char>();
    return {v.begin(), v.end()};
  }
  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace jostle::checking
