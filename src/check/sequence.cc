#include "check/sequence.h"

namespace jostle::checking {

void Sequence::append(const Sequence& other, std::size_t deed) {
  Deed d = other.deeds_[deed];
  const std::uint32_t from = d.first;
  d.first = static_cast<std::uint32_t>(reaches_.size());
  deeds_.push_back(d);
  for (std::uint32_t i = 0; i < d.count; ++i) reaches_.push_back(other.reaches_[from + i]);
}

bool Sequence::conflicts(std::size_t i, const Sequence& other, std::size_t k) const {
  const Deed &a = deeds_[i], &b = other.deeds_[k];
  for (std::uint32_t x = 0; x < a.count; ++x)
    for (std::uint32_t y = 0; y < b.count; ++y)
      if (conflict(reaches_[a.first + x], other.reaches_[b.first + y])) return true;
  return false;
}

bool Sequence::load(Reader& r) {
  deeds_ = r.list<Deed>();
  reaches_ = r.list<Reach>();
  for (const Deed& d : deeds_)
    if (d.first > reaches_.size() || d.count > reaches_.size() - d.first) return false;
  return r.ok();
}

bool Wanted::begin_with(const Sequence& s, std::size_t deed) {
  std::size_t own = 0;
  while (own < left_.size() && all_[left_[own]].thread != s[deed].thread) ++own;
  if (own == left_.size()) {
    for (const std::uint32_t k : left_)
      if (s.conflicts(deed, all_, k)) return false;
    return true;
  }
  const std::uint16_t a = s[deed].choice, b = all_[left_[own]].choice;
  if (a != b && a != 0 && b != 0) return false;
  for (std::size_t k = 0; k < own; ++k)
    if (all_.conflicts(left_[own], all_, left_[k])) return false;
  left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(own));
  return true;
}

std::uint16_t Wanted::choice_of(ThreadId thread) const {
  for (const std::uint32_t k : left_)
    if (all_[k].thread == thread) return all_[k].choice;
  return 0;
}

Sequence Wanted::rest() const {
  Sequence s;
  for (const std::uint32_t k : left_) s.append(all_, k);
  return s;
}

}  // namespace jostle::checking
