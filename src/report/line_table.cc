#include "report/line_table.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "report/line_program.h"

namespace jostle::report {
namespace {

template <class T>
bool read_at(const unsigned char* image, std::uint64_t size, std::uint64_t offset, T& out) {
  if (offset > size || size - offset < sizeof(T)) return false;
  std::memcpy(&out, image + offset, sizeof(T));
  return true;
}

}  // namespace

LineTable::LineTable(const std::string& path) {
  map(path);
  if (!image_) return;
  read_sections();
  const DebugStrings none;  // names are not needed to find where sequences lie
  for (std::uint64_t at = 0; at < line_.size;) {
    Bytes bytes(line_.data, line_.size);
    bytes.seek(at);
    LineProgram program(bytes, none);
    if (program.next() <= at) break;
    bool first = true;
    Sequence s{0, 0, at};
    program.run([&](const LineRow& row) {
      if (first) s.low = row.address;
      first = row.end;
      s.high = row.address;
      if (row.end && s.low < s.high) sequences_.push_back(s);
      return true;
    });
    at = program.next();
  }
}

LineTable::~LineTable() {
  if (image_) ::munmap(const_cast<unsigned char*>(image_), image_size_);
}

void LineTable::map(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info;
  if (::fstat(fd, &info) == 0 && info.st_size > 0) {
    const auto size = static_cast<std::size_t>(info.st_size);
    void* p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p != MAP_FAILED) {
      image_ = static_cast<const unsigned char*>(p);
      image_size_ = size;
    }
  }
  ::close(fd);
}

void LineTable::read_sections() {
  Elf64_Ehdr header;
  if (!read_at(image_, image_size_, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  const auto section = [&](std::uint64_t i, Elf64_Shdr& out) {
    return read_at(image_, image_size_, header.e_shoff + i * sizeof(Elf64_Shdr), out);
  };
  Elf64_Shdr names;
  if (!section(header.e_shstrndx, names)) return;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr s;
    if (!section(i, s) || s.sh_type == SHT_NOBITS || (s.sh_flags & SHF_COMPRESSED)) continue;
    if (s.sh_offset > image_size_ || image_size_ - s.sh_offset < s.sh_size) continue;
    if (names.sh_offset > image_size_ || image_size_ - names.sh_offset < s.sh_name) continue;
    Bytes bytes(image_, image_size_);
    bytes.seek(names.sh_offset + s.sh_name);
    const std::string_view name = bytes.text();
    const Section found{image_ + s.sh_offset, s.sh_size};
    if (name == ".debug_line") line_ = found;
    if (name == ".debug_line_str") line_str_ = found;
    if (name == ".debug_str") str_ = found;
  }
}

bool LineTable::find(std::uint64_t address, std::string& file, std::uint32_t& line) const {
  const auto view = [](const Section& s) {
    return std::string_view(reinterpret_cast<const char*>(s.data), s.size);
  };
  for (const Sequence& s : sequences_) {
    if (address < s.low || address >= s.high) continue;
    Bytes bytes(line_.data, line_.size);
    bytes.seek(s.program);
    LineProgram program(bytes, {view(line_str_), view(str_)});
    LineRow last;
    bool inside = false, found = false;
    program.run([&](const LineRow& row) {
      // Of several rows at one address the last counts.
      if (inside && last.address <= address && address < row.address) {
        found = true;
        return false;
      }
      inside = !row.end;
      last = row;
      return true;
    });
    if (!found || last.line == 0) continue;
    file = program.file_name(last.file);
    line = static_cast<std::uint32_t>(last.line);
    return !file.empty();
  }
  return false;
}

bool ProcessLines::find(std::uint64_t pc, std::string& file, std::uint32_t& line) {
  struct Search {
    std::uint64_t pc, base = 0;
    std::string path;
  } search{pc, 0, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || s.pc < start || s.pc >= start + segment.p_memsz)
            continue;
          s.base = info->dlpi_addr;
          s.path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
          return 1;
        }
        return 0;
      },
      &search);
  if (search.path.empty()) return false;
  std::unique_ptr<LineTable>& table = objects_[search.path];
  if (!table) table = std::make_unique<LineTable>(search.path);
  return table->find(pc - search.base, file, line);
}

}  // namespace jostle::report
