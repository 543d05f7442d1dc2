// Leaves of the tree that are not needed soon, in a file without a name: it is gone with the
// process, however that ends.
#pragma once

#include <string>
#include <vector>

#include "check/bytes.h"
#include "check/fringe.h"

namespace jostle::checking {

class Spill {
 public:
  Spill() = default;
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;
  ~Spill();

  // Where the file may lie; nowhere: nothing can be put away.
  void set_folder(std::string folder) { folder_ = std::move(folder); }

  // The number of what is put there next.
  std::uint32_t next() const { return next_; }
  // All of one cost, in the order in which they were pushed. False: it cannot be done, and they are
  // still the caller's.
  bool put(Cost cost, const std::vector<Leaf>& leaves);
  bool empty() const { return blocks_.empty(); }
  // Precondition for both: not empty. The best of them, those that were put there last. False: the
  // file cannot be read.
  Cost best() const;
  bool take(Cost& cost, std::vector<Leaf>& leaves) {
    return take_at(index_of_best(), cost, leaves);
  }
  // Those with that number. False: they are not there, or cannot be read.
  bool take_number(std::uint32_t number, Cost& cost, std::vector<Leaf>& leaves);
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const;
  void clear();

  void save(Writer& w) const;
  bool load(Reader& r);

 private:
  struct Block {
    Cost cost;
    std::uint64_t offset, bytes;
    std::uint32_t count;
    std::uint32_t number;
  };
  bool open_file();
  bool write_block(Block b, const std::string& bytes);
  bool read_block(const Block& b, std::string& out) const;
  static bool parse(const Block& b, const std::string& bytes, std::vector<Leaf>& out);
  std::size_t index_of_best() const;
  bool take_at(std::size_t i, Cost& cost, std::vector<Leaf>& leaves);

  std::string folder_;
  int file_ = -1;
  std::uint64_t end_ = 0, size_ = 0;
  std::uint32_t next_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace jostle::checking
