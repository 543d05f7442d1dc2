#include "script/modules.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "report/frames.h"

namespace jostle::scripts {
namespace {

constexpr Address kWithin = (Address{1} << 48) - 1;
constexpr Address kNoModule = Address{1} << 63;

// A program that is not position independent is where it says.
bool loaded_anywhere(const std::string& path) {
  Elf64_Ehdr h = {};
  if (std::FILE* f = std::fopen(path.c_str(), "rb")) {
    if (std::fread(&h, sizeof h, 1, f) != 1) h = {};
    std::fclose(f);
  }
  return h.e_type == ET_DYN;
}

bool of_the_system(const std::string& path) {
  return path.starts_with("/lib/") || path.starts_with("/lib64/") || path.starts_with("/usr/lib") ||
         path.find("libjostle_program") != std::string::npos;
}

}  // namespace

Modules& modules() {
  static auto& m = *new Modules;
  return m;
}

const report::SymbolTable& Module::symbols() const {
  if (!symbols_)
    symbols_ = std::make_unique<report::SymbolTable>(
        of_the_system(path_) ? std::vector<report::LoadedObject>()
                             : std::vector<report::LoadedObject>{{path_, base_}});
  return *symbols_;
}

report::Frame Module::frame(Address return_address) const {
  report::Frame f;
  if (const report::NamedObject* o = symbols().function_at(return_address - 1))
    f.function = o->name;
  if (of_the_system(path_)) return f;
  if (!lines_) lines_ = std::make_unique<report::LineTable>(path_);
  if (lines_->find((return_address - 1) & kWithin, f.file, f.line))
    f.file = report::normalise(f.file);
  return f;
}

report::Parameter Module::parameter(Address pc, const Registers& registers, const std::string& name,
                                    unsigned number) const {
  if (!variables_) variables_ = std::make_unique<report::VariableTable>(path_);
  return variables_->parameter(pc & kWithin, registers, name, number);
}

report::Parameter Module::result(Address pc, Address end) const {
  if (!variables_) variables_ = std::make_unique<report::VariableTable>(path_);
  return variables_->result(pc & kWithin, end & kWithin);
}

Address Module::function_start(Address a) const {
  const auto [i, fresh] = starts_.try_emplace(a, a);
  if (fresh)
    if (const report::NamedObject* o = symbols().function_at(a)) i->second = o->start;
  return i->second;
}

const Module* Modules::at(Address a) const {
  const std::uint64_t n = a >> 48;
  return n > 0 && n <= all_.size() ? &all_[n - 1] : nullptr;
}

std::uint64_t Modules::number_of(const std::string& path) {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].path() == path) return i + 1;
  all_.emplace_back(path, all_.size() + 1);
  return all_.size();
}

void Modules::read_maps(unsigned process, int pid) {
  maps_[process].clear();
  std::FILE* f = std::fopen(("/proc/" + std::to_string(pid) + "/maps").c_str(), "r");
  if (!f) return;
  char line[4400];
  std::string last;
  Address base = 0;
  while (std::fgets(line, sizeof line, f)) {
    unsigned long long first, end, offset;
    int name = 0;
    if (std::sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &first, &end, &offset, &name) < 3)
      continue;
    auto& all = maps_[process];
    // Zeroed memory of a file's variables is mapped without its name, right behind it.
    if (line[name] == 0 && !all.empty() && all.back().end == first)
      all.push_back({first, end, all.back().base, all.back().module});
    if (line[name] != '/') continue;
    std::string path(line + name);
    if (path.ends_with('\n')) path.pop_back();
    if (path != last) {
      last = path;
      base = loaded_anywhere(path) ? first - offset : 0;
    }
    if (path.starts_with("/memfd") || path.starts_with("/dev/")) continue;
    all.push_back({first, end, base, number_of(path)});
  }
  std::fclose(f);
}

const Modules::Mapping* Modules::find(unsigned process, Address raw) const {
  const auto& all = maps_[process];
  const auto after = std::upper_bound(all.begin(), all.end(), raw,
                                      [](Address a, const Mapping& m) { return a < m.first; });
  if (after == all.begin()) return nullptr;
  return raw < (after - 1)->end ? &*(after - 1) : nullptr;
}

Address Modules::canonical(unsigned process, int pid, Address raw) {
  if (raw == 0) return 0;
  if (maps_[process].empty()) read_maps(process, pid);
  const Mapping* m = find(process, raw);
  return m ? (m->module << 48) + (raw - m->base) : kNoModule | Address{process} << 48 | raw;
}

Address Modules::raw(unsigned process, Address canonical) const {
  if (canonical & kNoModule) return canonical & kWithin;
  for (const Mapping& m : maps_[process])
    if (m.module == canonical >> 48) return m.base + (canonical & kWithin);
  return 0;
}

}  // namespace jostle::scripts
