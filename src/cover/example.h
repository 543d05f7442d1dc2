// Executions written down by hand, for tests: a step is a letter for the place, and what it does.
#pragma once

#include <string>
#include <vector>

#include "cover/item.h"

namespace jostle::covering {

class Example {
 public:
  // Places are named by letters: 'A' does something to the object named by `object`.
  Example& read(ThreadId t, char place, char object) { return add(t, Did::read, place, object); }
  Example& write(ThreadId t, char place, char object) { return add(t, Did::write, place, object); }
  Example& lock(ThreadId t, char place, char object) { return add(t, Did::acquire, place, object); }
  Example& unlock(ThreadId t, char place, char object) {
    return add(t, Did::release, place, object);
  }
  Example& post(ThreadId t, char place, char object) { return add(t, Did::post, place, object); }
  Example& fork(ThreadId t, ThreadId child) {
    records.push_back({1, child, t, Did::fork});
    return *this;
  }
  Example& join(ThreadId t, ThreadId child) {
    records.push_back({1, child, t, Did::join});
    return *this;
  }

  std::vector<AccessRecord> records;

 private:
  Example& add(ThreadId t, Did d, char place, char object) {
    records.push_back({static_cast<std::uint64_t>(place), static_cast<Address>(object), t, d});
    return *this;
  }
};

inline SiteKey at(char place, Did d) { return site_key(static_cast<std::uint64_t>(place), d); }

// T1 reads x at R and writes it at W, T2 writes it at V: each in a critical section of its own.
inline Example read_then_write() {
  return Example()
      .fork(0, 1)
      .fork(0, 2)
      .lock(1, 'a', 'm')
      .read(1, 'R', 'x')
      .unlock(1, 'b', 'm')
      .lock(1, 'c', 'm')
      .write(1, 'W', 'x')
      .unlock(1, 'd', 'm')
      .lock(2, 'k', 'm')
      .write(2, 'V', 'x')
      .unlock(2, 'l', 'm');
}

// "1 AB", "4 ABCD", "p ab"
inline std::string to_text(const Item& i) {
  std::string s = i.idiom == Idiom::pair ? "p " : std::to_string(static_cast<int>(i.idiom)) + " ";
  for (const SiteKey k : i.at)
    if (k) s += static_cast<char>(pc_of(k));
  return s;
}

template <class Set>
std::vector<std::string> to_texts(const Set& items) {
  std::vector<std::string> out;
  for (const Item& i : items) out.push_back(to_text(i));
  return out;
}

}  // namespace jostle::covering
