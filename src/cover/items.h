// Sets and tables of items, in the order in which they were entered: it depends on nothing else,
// such as where code lies in memory.
#pragma once

#include <utility>
#include <vector>

#include "cover/item.h"

namespace jostle::covering {

// What is known of items, by item.
template <class Value>
class ItemTable {
 public:
  using Entry = std::pair<Item, Value>;

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  Value* find(const Item& i) {
    const std::uint32_t n = *slot(i, i.hash());
    return n ? &entries_[n - 1].second : nullptr;
  }
  const Value* find(const Item& i) const { return const_cast<ItemTable*>(this)->find(i); }
  bool contains(const Item& i) const { return find(i) != nullptr; }
  // References are good until the next one is entered.
  Value& operator[](const Item& i) { return entries_[enter(i) - 1].second; }
  void insert(const Item& i) { enter(i); }
  void clear() {
    entries_.clear();
    slots_.assign(slots_.size(), 0);
  }

 private:
  std::uint32_t enter(const Item& i) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    std::uint32_t* s = slot(i, i.hash());
    if (*s == 0) {
      entries_.push_back({i, Value()});
      *s = static_cast<std::uint32_t>(entries_.size());
    }
    return *s;
  }
  std::uint32_t* slot(const Item& i, std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at] != 0 && entries_[slots_[at] - 1].first != i) at = (at + 1) & mask;
    return &slots_[at];
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t n = 0; n < entries_.size(); ++n)
      *slot(entries_[n].first, entries_[n].first.hash()) = n + 1;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64);  // 1 + index of an entry
};

// Just which there are.
class Items {
 public:
  class Iterator {
   public:
    explicit Iterator(const std::pair<Item, bool>* at) : at_(at) {}
    const Item& operator*() const { return at_->first; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const std::pair<Item, bool>* at_;
  };
  Iterator begin() const { return Iterator(table_.empty() ? nullptr : &*table_.begin()); }
  Iterator end() const {
    return Iterator(table_.empty() ? nullptr : &*table_.begin() + table_.size());
  }
  std::size_t size() const { return table_.size(); }
  bool empty() const { return table_.empty(); }
  bool contains(const Item& i) const { return table_.contains(i); }
  void insert(const Item& i) { table_.insert(i); }
  void clear() { table_.clear(); }

 private:
  ItemTable<bool> table_;
};

}  // namespace jostle::covering
