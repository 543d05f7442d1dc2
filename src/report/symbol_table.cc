#include "report/symbol_table.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <regex>
#include <set>

#include "report/dwarf.h"
#include "report/elf_image.h"
#include "report/frames.h"
#include "report/symbols.h"

namespace jostle::report {
namespace {

bool of_the_system(std::string_view path) {
  return path.starts_with("/lib/") || path.starts_with("/lib64/") || path.starts_with("/usr/lib") ||
         path.find("linux-vdso") != std::string_view::npos;
}

std::vector<LoadedObject> objects() {
  std::vector<LoadedObject> all;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        const std::string path =
            info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
        if (!of_the_system(path))
          static_cast<std::vector<LoadedObject>*>(out)->push_back({path, info->dlpi_addr});
        return 0;
      },
      &all);
  return all;
}

void sort(std::vector<NamedObject>& v) {
  std::sort(v.begin(), v.end(),
            [](const NamedObject& a, const NamedObject& b) { return a.start < b.start; });
}

bool ends_scoped(std::string_view name, std::string_view with) {
  if (!name.ends_with(with)) return false;
  const std::string_view before = name.substr(0, name.size() - with.size());
  return before.empty() || before.ends_with("::") || before.ends_with(" ");
}

}  // namespace

SymbolTable::SymbolTable() : SymbolTable(objects()) {}

SymbolTable::SymbolTable(std::vector<LoadedObject> objects) : objects_(std::move(objects)) {
  for (const LoadedObject& o : objects_) read(o.path, o.base);
  sort(functions_);
  sort(variables_);
}

void SymbolTable::read(const std::string& path, std::uint64_t base) {
  const ElfImage image(path);
  const std::string_view symbols = image.section(".symtab"), names = image.section(".strtab");
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym s;
    std::memcpy(&s, symbols.data() + at, sizeof s);
    if (s.st_shndx == SHN_UNDEF || s.st_name >= names.size() || s.st_size == 0) continue;
    const auto type = ELF64_ST_TYPE(s.st_info);
    if (type != STT_FUNC && type != STT_OBJECT) continue;
    const std::string_view rest = names.substr(s.st_name);
    const std::string name(rest.substr(0, rest.find('\0')));
    (type == STT_FUNC ? functions_ : variables_)
        .push_back({base + s.st_value, s.st_size, demangle(name.c_str())});
  }
}

namespace {
const NamedObject* object_at(const std::vector<NamedObject>& all, Address a) {
  const auto after = std::upper_bound(all.begin(), all.end(), a,
                                      [](Address x, const NamedObject& o) { return x < o.start; });
  if (after == all.begin()) return nullptr;
  const NamedObject& o = *(after - 1);
  return a < o.start + o.size ? &o : nullptr;
}
}  // namespace

const NamedObject* SymbolTable::function_at(Address a) const { return object_at(functions_, a); }
const NamedObject* SymbolTable::variable_at(Address a) const { return object_at(variables_, a); }

bool SymbolTable::only_inlined(std::string_view name) const {
  const std::string_view plain = name.substr(0, name.find('('));
  const std::size_t scope = plain.rfind("::");
  const std::string_view last = scope == std::string_view::npos ? plain : plain.substr(scope + 2);
  for (const LoadedObject& o : objects_) {
    const ElfImage image(o.path);
    const dwarf::Info info(dwarf::sections_of(image));
    for (const dwarf::Unit& u : info.units()) {
      bool found = false;
      info.each_entry(u, [&](const dwarf::Entry& e, unsigned) {
        if (e.tag() == dwarf::kInlinedSubroutine && info.name(e) == last) found = true;
      });
      if (found) return true;
    }
  }
  return false;
}

bool is_named(std::string_view complete, std::string_view pattern) {
  if (pattern.size() > 2 && pattern.front() == '/' && pattern.back() == '/') {
    const std::regex r(std::string(pattern.substr(1, pattern.size() - 2)));
    return std::regex_search(std::string(complete), r);
  }
  if (pattern.find('(') != std::string_view::npos)  // a copy that the optimiser made is the same
    return ends_scoped(complete.substr(0, complete.find(" [clone")), pattern);
  return ends_scoped(short_function(complete), pattern);
}

}  // namespace jostle::report
