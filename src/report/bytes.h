// Reading untrusted bytes in order.
#pragma once

#include <cstdint>
#include <string_view>

namespace jostle::report {

// After the first attempt to leave the bytes everything reads as 0 and ok() is false.
class Bytes {
 public:
  Bytes(const unsigned char* data, std::uint64_t size) : data_(data), size_(size) {}
  explicit Bytes(std::string_view text)
      : Bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size()) {}
  bool ok() const { return ok_; }
  bool done() const { return !ok_ || at_ >= size_; }
  std::uint64_t at() const { return at_; }
  void seek(std::uint64_t at);
  void skip(std::uint64_t n);
  std::uint64_t fixed(unsigned bytes);
  std::uint64_t uleb();
  std::int64_t sleb();
  std::string_view text();                      // up to a zero, which is passed over
  std::string_view block(std::uint64_t bytes);  // "" if there are not so many
  void limit(std::uint64_t end) { size_ = end < size_ ? end : size_; }

 private:
  const unsigned char* data_;
  std::uint64_t size_, at_ = 0;
  bool ok_ = true;
};

// The text that starts at `offset` and ends before a zero; "" outside of the section.
std::string_view text_at(std::string_view section, std::uint64_t offset);

}  // namespace jostle::report
