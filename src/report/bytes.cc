#include "report/bytes.h"

#include <cstring>

namespace jostle::report {

void Bytes::seek(std::uint64_t at) {
  if (at > size_)
    ok_ = false;
  else
    at_ = at;
}

void Bytes::skip(std::uint64_t n) {
  if (!ok_ || at_ > size_ || size_ - at_ < n)
    ok_ = false;
  else
    at_ += n;
}

std::uint64_t Bytes::fixed(unsigned bytes) {
  if (!ok_ || bytes > 8 || size_ - at_ < bytes || at_ > size_) {
    ok_ = false;
    return 0;
  }
  std::uint64_t v = 0;
  std::memcpy(&v, data_ + at_, bytes);
  at_ += bytes;
  return v;
}

std::uint64_t Bytes::uleb() {
  std::uint64_t v = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t b = fixed(1);
    if (!ok_) return 0;
    if (shift < 64) v |= (b & 127) << shift;
    if (b < 128) return v;
  }
}

std::int64_t Bytes::sleb() {
  std::uint64_t v = 0;
  for (unsigned shift = 0;;) {
    const std::uint64_t b = fixed(1);
    if (!ok_) return 0;
    if (shift < 64) v |= (b & 127) << shift;
    shift += 7;
    if (b >= 128) continue;
    if (shift < 64 && (b & 64)) v |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(v);
  }
}

std::string_view Bytes::text() {
  const void* end = ok_ && at_ < size_ ? std::memchr(data_ + at_, 0, size_ - at_) : nullptr;
  if (!end) {
    ok_ = false;
    return {};
  }
  const auto* begin = reinterpret_cast<const char*>(data_ + at_);
  const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - begin);
  at_ += length + 1;
  return {begin, length};
}

std::string_view Bytes::block(std::uint64_t bytes) {
  const std::uint64_t from = at_;
  skip(bytes);
  return ok_ ? std::string_view(reinterpret_cast<const char*>(data_ + from), bytes)
             : std::string_view();
}

std::string_view text_at(std::string_view section, std::uint64_t offset) {
  if (offset >= section.size()) return {};
  const std::string_view rest = section.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace jostle::report
