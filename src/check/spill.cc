#include "check/spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace jostle::checking {

Spill::~Spill() {
  if (file_ >= 0) close(file_);
}

bool Spill::open_file() {
  if (file_ >= 0) return true;
  if (folder_.empty()) return false;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  file_ = open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file_ >= 0) return true;
  // Not every file system can do that.
  std::string name = folder_ + "/spill-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ >= 0) unlink(name.c_str());
  return file_ >= 0;
}

bool Spill::put(Cost cost, const std::vector<Leaf>& leaves) {
  Writer w;
  for (const Leaf& l : leaves) {
    w.value(l.node);
    l.plan.save(w);
  }
  return write_block({cost, 0, w.bytes().size(), static_cast<std::uint32_t>(leaves.size()), next_},
                     w.bytes());
}

bool Spill::write_block(Block b, const std::string& bytes) {
  if (!open_file()) return false;
  b.offset = end_;
  for (std::uint64_t done = 0; done < bytes.size();) {
    const ssize_t n = pwrite(file_, bytes.data() + done, bytes.size() - done,
                             static_cast<off_t>(b.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::uint64_t>(n);
  }
  end_ += bytes.size();
  size_ += b.count;
  blocks_.push_back(b);
  next_ = std::max(next_, b.number + 1);
  return true;
}

bool Spill::read_block(const Block& b, std::string& out) const {
  out.resize(b.bytes);
  for (std::uint64_t done = 0; done < b.bytes;) {
    const ssize_t n =
        pread(file_, out.data() + done, b.bytes - done, static_cast<off_t>(b.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool Spill::parse(const Block& b, const std::string& bytes, std::vector<Leaf>& out) {
  Reader r(bytes);
  out.clear();
  for (std::uint32_t i = 0; i < b.count && r.ok(); ++i) {
    Leaf l;
    l.node = r.value<Node>();
    if (!l.plan.load(r)) return false;
    out.push_back(std::move(l));
  }
  return r.ok() && r.at_end();
}

std::size_t Spill::index_of_best() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < blocks_.size(); ++i)
    if (blocks_[i].cost <= blocks_[best].cost) best = i;
  return best;
}

Cost Spill::best() const { return blocks_[index_of_best()].cost; }

bool Spill::take_number(std::uint32_t number, Cost& cost, std::vector<Leaf>& leaves) {
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (blocks_[i].number == number) return take_at(i, cost, leaves);
  return false;
}

bool Spill::take_at(std::size_t i, Cost& cost, std::vector<Leaf>& leaves) {
  const Block b = blocks_[i];
  std::string bytes;
  if (!read_block(b, bytes) || !parse(b, bytes, leaves)) return false;
  cost = b.cost;
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
  size_ -= b.count;
  if (blocks_.empty())
    (void)!ftruncate(file_, static_cast<off_t>(end_ = 0));
  else
    (void)!fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     static_cast<off_t>(b.offset), static_cast<off_t>(b.bytes));
  return true;
}

std::uint64_t Spill::bytes() const {
  std::uint64_t sum = 0;
  for (const Block& b : blocks_) sum += b.bytes;
  return sum;
}

void Spill::clear() {
  blocks_.clear();
  size_ = 0;
  next_ = 0;
  if (file_ >= 0) (void)!ftruncate(file_, static_cast<off_t>(end_ = 0));
}

void Spill::save(Writer& w) const {
  w.value<std::uint64_t>(blocks_.size());
  std::string bytes;
  for (const Block& b : blocks_) {
    if (!read_block(b, bytes)) bytes.clear();  // no reader will take that for a check
    w.value(b);
    w.text(bytes);
  }
}

bool Spill::load(Reader& r) {
  clear();
  const auto n = r.value<std::uint64_t>();
  std::vector<Leaf> leaves;
  for (std::uint64_t i = 0; i < n && r.ok(); ++i) {
    const auto b = r.value<Block>();
    const std::string bytes = r.text();
    if (b.bytes != bytes.size() || !parse(b, bytes, leaves) || !write_block(b, bytes)) return false;
  }
  return r.ok();
}

}  // namespace jostle::checking
