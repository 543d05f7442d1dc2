#include "report/object_code.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "report/dwarf_index.h"
#include "report/elf_image.h"
#include "report/line_program.h"
#include "report/symbols.h"

namespace jostle::report {

using namespace dwarf;

namespace {

constexpr std::size_t kMostInlined = 64;  // nested: damaged input is no reason to run on

struct NamedCode {
  std::uint64_t start, size;
  std::uint32_t name;
};

// Functions and variables, by address.
std::vector<NamedCode> symbols_of(std::string_view table) {
  std::vector<NamedCode> all;
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym s;
    std::memcpy(&s, table.data() + at, sizeof s);
    const auto type = ELF64_ST_TYPE(s.st_info);
    if (s.st_shndx != SHN_UNDEF && s.st_size != 0 && (type == STT_FUNC || type == STT_OBJECT))
      all.push_back({s.st_value, s.st_size, s.st_name});
  }
  std::sort(all.begin(), all.end(), [](const NamedCode& a, const NamedCode& b) {
    return std::tie(a.start, a.name) < std::tie(b.start, b.name);
  });
  return all;
}

std::string build_id_of(std::string_view note) {
  // Sizes of the name ("GNU\0") and of the id, a type, and both.
  constexpr std::size_t kHeader = 16;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string id;
  if (note.size() <= kHeader) return id;
  for (const char c : note.substr(kHeader)) {
    id += kDigits[static_cast<unsigned char>(c) >> 4];
    id += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return id;
}

// Where distributions and `objcopy --add-gnu-debuglink` put what they have cut off.
bool has_debug_file(const ElfImage& image, const std::string& path, const std::string& build_id) {
  const auto exists = [](const std::string& file) { return ::access(file.c_str(), R_OK) == 0; };
  if (build_id.size() > 2 && exists("/usr/lib/debug/.build-id/" + build_id.substr(0, 2) + "/" +
                                    build_id.substr(2) + ".debug"))
    return true;
  const std::string_view link = image.section(".gnu_debuglink");
  const std::string name(link.substr(0, link.find('\0')));
  if (name.empty()) return false;
  char own[4096];
  const ssize_t n = path == "/proc/self/exe" ? ::readlink(path.c_str(), own, sizeof own) : -1;
  const std::string real = n > 0 ? std::string(own, static_cast<std::size_t>(n)) : path;
  const std::string folder = real.substr(0, real.rfind('/') + 1);
  return exists(folder + name) || exists(folder + ".debug/" + name) ||
         exists("/usr/lib/debug" + folder + name);
}

}  // namespace

struct ObjectCode::Contents {
  explicit Contents(const std::string& path)
      : image(path), info(sections_of(image)), units(info.units().size()) {
    const bool whole = image.has(".symtab");
    symbols = symbols_of(image.section(whole ? ".symtab" : ".dynsym"));
    names = image.section(whole ? ".strtab" : ".dynstr");
    build_id = build_id_of(image.section(".note.gnu.build-id"));
    for (const Unit& u : info.units())
      info.each_range(info.root(u), [&](std::uint64_t low, std::uint64_t high) {
        code.push_back({low, high, &u});
      });
    const bool readable = !image.section(".debug_info").empty() && whole;
    has_more = (image.has(".debug_info") && !readable) || image.has(".gnu_debugaltlink") ||
               (!readable && has_debug_file(image, path, build_id));
  }

  // What is read of a unit when it is asked for.
  struct Read {
    std::optional<UnitIndex> index;
    std::vector<LineRow> rows;
    std::optional<LineProgram> lines;
    std::string folder;
  };
  Read& read(const Unit& u) {
    Read& r = units[static_cast<std::size_t>(&u - info.units().data())];
    if (r.index) return r;
    r.index = index_of(info, u);
    const Entry root = info.root(u);
    r.folder = info.get(root, kAtCompDir).text;
    if (const Value at = info.get(root, kAtStmtList)) {
      Bytes bytes(image.section(".debug_line"));
      bytes.seek(at.number);
      r.lines.emplace(bytes, DebugStrings{info.sections().line_str, info.sections().str});
      r.lines->run([&](const LineRow& row) {
        r.rows.push_back(row);
        return true;
      });
    }
    return r;
  }

  std::string file(const Read& r, std::uint64_t number) const {
    std::string name = r.lines ? r.lines->file_name(number) : "";
    if (!name.empty() && name[0] != '/' && !r.folder.empty()) name = r.folder + "/" + name;
    return name;
  }

  void line_of(const Read& r, std::uint64_t address, Frame& out) const {
    for (std::size_t i = 0; i + 1 < r.rows.size(); ++i) {
      const LineRow& row = r.rows[i];
      if (row.end || address < row.address || address >= r.rows[i + 1].address) continue;
      out.file = file(r, row.file);
      out.line = static_cast<std::uint32_t>(row.line);
      return;
    }
  }

  std::string function(const Entry& e) const {
    Value v = info.inherited(e, kAtLinkageName);
    if (!v) v = info.inherited(e, kAtName);
    return demangle(std::string(v.text).c_str());
  }

  // The calls that were inlined around the address, outermost first.
  void descend(const Entry& scope, std::uint64_t address, std::vector<Entry>& chain,
               std::size_t depth) const {
    info.each_child(scope, [&](const Entry& e) {
      if ((e.tag() != kInlinedSubroutine && e.tag() != kLexicalBlock) || !info.covers(e, address))
        return true;
      if (e.tag() == kInlinedSubroutine) chain.push_back(e);
      if (depth < kMostInlined) descend(e, address, chain, depth + 1);
      return false;
    });
  }

  struct Code {
    std::uint64_t low, high;
    const Unit* unit;
  };
  ElfImage image;
  Info info;
  std::vector<Read> units;
  std::vector<Code> code;
  std::vector<NamedCode> symbols;
  std::string_view names;
  std::string build_id;
  bool has_more = false;
};

ObjectCode::ObjectCode(const std::string& path) : contents_(std::make_unique<Contents>(path)) {}
ObjectCode::~ObjectCode() = default;

void ObjectCode::frames(std::uint64_t address, std::vector<Frame>& out) {
  Contents& c = *contents_;
  for (const Contents::Code& code : c.code) {
    if (address < code.low || address >= code.high) continue;
    // A unit that lost its copy of an inline function to another still claims its place.
    const Contents::Read& r = c.read(*code.unit);
    const auto f = std::find_if(
        r.index->functions.begin(), r.index->functions.end(),
        [&](const UnitIndex::Function& x) { return address >= x.low && address < x.high; });
    if (f == r.index->functions.end()) continue;
    std::vector<Entry> chain = {c.info.at(*code.unit, f->entry)};
    c.descend(chain[0], address, chain, 0);
    Frame frame;
    c.line_of(r, address, frame);
    while (!chain.empty()) {
      const Entry e = chain.back();
      chain.pop_back();
      frame.function = c.function(e);
      out.push_back(std::move(frame));
      frame = Frame();
      frame.file = c.file(r, c.info.get(e, kAtCallFile).number);
      frame.line = static_cast<std::uint32_t>(c.info.get(e, kAtCallLine).number);
    }
    return;
  }
}

bool ObjectCode::symbol(std::uint64_t address, Symbol& out) const {
  const Contents& c = *contents_;
  const auto after =
      std::upper_bound(c.symbols.begin(), c.symbols.end(), address,
                       [](std::uint64_t a, const NamedCode& s) { return a < s.start; });
  if (after == c.symbols.begin()) return false;
  const NamedCode& s = *(after - 1);
  if (address - s.start >= s.size) return false;
  out = {text_at(c.names, s.name), s.start};
  return !out.name.empty();
}

bool ObjectCode::has_more() const { return contents_->has_more; }
std::string ObjectCode::build_id() const { return contents_->build_id; }

ObjectCode* ProcessCode::of(std::uint64_t address, std::uint64_t& base) {
  const LoadedObject object = loaded_object(address);
  if (object.path.empty()) return nullptr;
  base = object.base;
  std::unique_ptr<ObjectCode>& code = objects_[object.path];
  if (!code) code = std::make_unique<ObjectCode>(object.path);
  return code.get();
}

}  // namespace jostle::report
