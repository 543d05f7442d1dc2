#include "explore/blind_spots.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "options/values.h"
#include "report/elf_image.h"
#include "report/suppress.h"
#include "report/text.h"
#include "runtime/instructions.h"

namespace jostle::explore {
namespace {

// What both compilers put into each object that they instrument.
bool is_hook_starter(std::string_view name) {
  return name == "tsan.module_ctor" || name.starts_with("_sub_I_00099");
}

// Objects that a linker adds by itself are named after object files; those that distributions
// compile for link-time optimisation, as libgtest.a is, too.
bool is_expected(std::string_view file) {
  static constexpr std::string_view kExpected[] = {"",
                                                   "crtstuff.c",
                                                   "gtest-all.cc",
                                                   "gtest_main.cc",
                                                   "gmock-all.cc",
                                                   "gmock_main.cc",
                                                   "catch_amalgamated.cpp"};
  return file.ends_with(".o") || file.ends_with(".oS") ||
         std::find(std::begin(kExpected), std::end(kExpected), file) != std::end(kExpected);
}

template <class F>
void each_symbol(const report::ElfImage& image, std::string_view table, std::string_view text,
                 F f) {
  const std::string_view symbols = image.section(table), names = image.section(text);
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym s;
    std::memcpy(&s, symbols.data() + at, sizeof s);
    if (s.st_name >= names.size()) continue;
    const std::string_view rest = names.substr(s.st_name);
    f(s, rest.substr(0, rest.find('\0')));
  }
}

bool is_framework(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return path.starts_with("libgtest") || path.starts_with("libgmock");
}

int look_at(dl_phdr_info* module, std::size_t, void* out) {
  auto& all = *static_cast<std::vector<std::string>*>(out);
  const std::string name = module->dlpi_name;
  if (belongs_to_system(name) || is_framework(name)) return 0;
  const Parts parts = parts_of(name.empty() ? "/proc/self/exe" : name);
  if (!name.empty() && !parts.instrumented) {
    all.push_back(name.substr(name.rfind('/') + 1));
    return 0;
  }
  all.insert(all.end(), parts.plain.begin(), parts.plain.end());
  return 0;
}

}  // namespace

Parts parts_of(const std::string& path) {
  Parts out;
  const report::ElfImage image(path);
  each_symbol(image, ".dynsym", ".dynstr", [&](const Elf64_Sym& s, std::string_view name) {
    out.instrumented |= s.st_shndx == SHN_UNDEF && name.starts_with("__tsan_");
  });
  // The symbols of an object follow the name of its source file; those that are seen from other
  // objects come after all of these, and belong to nobody.
  std::string_view file;
  bool plain = false;
  const auto end_of_file = [&] {
    if (plain && !is_expected(file)) out.plain.emplace_back(file);
    plain = false;
  };
  each_symbol(image, ".symtab", ".strtab", [&](const Elf64_Sym& s, std::string_view name) {
    if (ELF64_ST_BIND(s.st_info) != STB_LOCAL) return;
    if (ELF64_ST_TYPE(s.st_info) == STT_FILE) {
      end_of_file();
      out.readable = plain = true;
      file = name;
    } else if (is_hook_starter(name)) {
      out.instrumented = true;
      plain = false;
    } else if (name == "jostle_own") {  // see own_object.h
      plain = false;
    }
  });
  end_of_file();
  std::sort(out.plain.begin(), out.plain.end());
  out.plain.erase(std::unique(out.plain.begin(), out.plain.end()), out.plain.end());
  return out;
}

BlindSpots blind_spots(const std::string& trusted) {
  std::vector<std::string> all;
  dl_iterate_phdr(&look_at, &all);
  const std::vector<std::string> patterns = option_value::texts_of(trusted);
  BlindSpots out;
  for (std::string& name : all) {
    const bool known = std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) {
      return report::matches_pattern(p, name);
    });
    (known ? out.trusted : out.unknown).push_back(std::move(name));
  }
  return out;
}

std::string in_words(const std::vector<std::string>& names) {
  static constexpr std::size_t kNamed = 3;
  if (names.size() <= kNamed) return report::listed(names);
  std::vector<std::string> some(names.begin(), names.begin() + kNamed);
  some.push_back(std::to_string(names.size() - kNamed) + " more");
  return report::listed(some);
}

}  // namespace jostle::explore
