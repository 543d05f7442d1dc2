#include "report/elf_image.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "events/files.h"
#include "report/bytes.h"

namespace jostle::report {
namespace {

template <class T>
bool read_at(const unsigned char* image, std::uint64_t size, std::uint64_t offset, T& out) {
  if (offset > size || size - offset < sizeof(T)) return false;
  std::memcpy(&out, image + offset, sizeof(T));
  return true;
}

}  // namespace

ElfImage::ElfImage(const std::string& path) {
  map(path);
  if (image_) read_sections();
}

ElfImage::~ElfImage() {
  if (image_) ::munmap(const_cast<unsigned char*>(image_), size_);
}

void ElfImage::map(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info;
  if (::fstat(fd, &info) == 0 && info.st_size > 0) {
    const auto size = static_cast<std::size_t>(info.st_size);
    void* p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p != MAP_FAILED) {
      image_ = static_cast<const unsigned char*>(p);
      size_ = size;
    }
  }
  ::close(fd);
}

void ElfImage::read_sections() {
  Elf64_Ehdr header;
  if (!read_at(image_, size_, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  const auto section = [&](std::uint64_t i, Elf64_Shdr& out) {
    return read_at(image_, size_, header.e_shoff + i * sizeof(Elf64_Shdr), out);
  };
  Elf64_Shdr names;
  if (!section(header.e_shstrndx, names)) return;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr s;
    if (!section(i, s) || s.sh_type == SHT_NOBITS) continue;
    if (s.sh_offset > size_ || size_ - s.sh_offset < s.sh_size) continue;
    if (names.sh_offset > size_ || size_ - names.sh_offset < s.sh_name) continue;
    Bytes bytes(image_, size_);
    bytes.seek(names.sh_offset + s.sh_name);
    const std::string_view name = bytes.text();
    const std::uint64_t size = (s.sh_flags & SHF_COMPRESSED) ? 0 : s.sh_size;
    sections_.push_back({name, {reinterpret_cast<const char*>(image_ + s.sh_offset), size}});
  }
}

std::string_view ElfImage::section(std::string_view name) const {
  for (const Section& s : sections_)
    if (s.name == name) return s.bytes;
  return {};
}

bool ElfImage::has(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [&](const Section& s) { return s.name == name; });
}

LoadedObject loaded_object(std::uint64_t address) {
  if (const char* path = g_foreign_files ? g_foreign_files->path_of(address) : nullptr)
    return {path, address >> ForeignFiles::kShift << ForeignFiles::kShift};
  struct Search {
    std::uint64_t address;
    LoadedObject found;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || s.address < start ||
              s.address >= start + segment.p_memsz)
            continue;
          s.found.base = info->dlpi_addr;
          s.found.path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

}  // namespace jostle::report
