// The sections of an ELF file, and which file an address of this process belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::report {

// A file in memory. Anything malformed, compressed or missing only makes sections empty.
class ElfImage {
 public:
  explicit ElfImage(const std::string& path);
  ~ElfImage();
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  // "" if there is none. Stays valid as long as the image.
  std::string_view section(std::string_view name) const;
  // Is it there, if only compressed?
  bool has(std::string_view name) const;

 private:
  struct Section {
    std::string_view name, bytes;
  };
  void map(const std::string& path);
  void read_sections();

  const unsigned char* image_ = nullptr;
  std::uint64_t size_ = 0;
  std::vector<Section> sections_;
};

struct LoadedObject {
  std::string path;  // "" = none has this address
  std::uint64_t base = 0;
};
LoadedObject loaded_object(std::uint64_t address);

}  // namespace jostle::report
