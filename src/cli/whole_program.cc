#include "cli/whole_program.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "trace/file_io.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

// Exported by the runtime, so it is in the table of dynamic symbols of a program linked with it.
bool linked_with_jostle(const std::string& bytes) {
  return bytes.find("jostle_runtime_linked") != std::string::npos;
}

const char* machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "ARM64";
    case EM_ARM:
      return "ARM";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "another machine";
  }
}

// True if it has a loader, which can be told to load something before.
Expected<bool> is_dynamic(const std::string& path, const std::string& bytes) {
  bool dynamic = false;
  Elf64_Ehdr h;
  if (bytes.size() < sizeof h) return Error{"'" + path + "' is not a program: it is too short"};
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != EM_X86_64) {
    Elf32_Ehdr small;
    std::memcpy(&small, bytes.data(), sizeof small);
    const unsigned machine = h.e_ident[EI_CLASS] == ELFCLASS64 ? h.e_machine : small.e_machine;
    return Error{"'" + path + "' is a program for " + machine_name(machine) +
                 "; Jostle controls programs for x86-64"};
  }
  for (unsigned i = 0; i < h.e_phnum; ++i) {
    const std::size_t at = h.e_phoff + i * sizeof(Elf64_Phdr);
    if (at + sizeof(Elf64_Phdr) > bytes.size()) return Error{"'" + path + "' is damaged"};
    Elf64_Phdr p;
    std::memcpy(&p, bytes.data() + at, sizeof p);
    dynamic |= p.p_type == PT_INTERP;
  }
  return dynamic;
}

}  // namespace

std::string program_library() {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  for (const char* folder : {"lib", JOSTLE_LIBRARY_DIR, "lib64", "lib/x86_64-linux-gnu"})
    if (const fs::path p = prefix / folder / "libjostle_program.so"; fs::exists(p, none))
      return p.string();
  return "";
}

Expected<std::string> find_program(const std::string& word) {
  std::string path = word;
  if (word.find('/') == std::string::npos) {
    const char* all = std::getenv("PATH");
    std::istringstream dirs(all ? all : "/usr/bin:/bin");
    path.clear();
    for (std::string dir; std::getline(dirs, dir, ':');)
      if (const fs::path p = fs::path(dir.empty() ? "." : dir) / word;
          path.empty() && access(p.c_str(), X_OK) == 0 && fs::is_regular_file(p))
        path = p.string();
    if (path.empty())
      return Error{"there is no program '" + word + "' in PATH" +
                   (fs::exists(word) ? "; did you mean './" + word + "'?" : std::string())};
  }
  struct stat st;
  if (stat(path.c_str(), &st) != 0)
    return Error{"'" + path + "' cannot be started: " + std::strerror(errno)};
  if (S_ISDIR(st.st_mode)) return Error{"'" + path + "' is a directory"};
  if (access(path.c_str(), X_OK) != 0)
    return Error{"'" + path + "' is not executable: 'chmod +x' helps if it is a program"};
  if ((st.st_mode & (S_ISUID | S_ISGID)) != 0)
    return Error{"'" + path +
                 "' has the setuid or setgid bit: the loader refuses to preload anything into it; "
                 "use a copy without the bit ('cp' makes one)"};
  const auto bytes = read_file(path, std::size_t{1} << 32);
  if (!bytes) return Error{"'" + path + "' cannot be read, which Jostle has to: " + bytes.error()};
  if (bytes->starts_with("#!")) return path;  // the interpreter's process is what is controlled
  if (!bytes->starts_with(ELFMAG))
    return Error{"'" + path + "' is not a program: neither ELF nor a script with #!"};
  const auto dynamic = is_dynamic(path, *bytes);
  if (!dynamic) return Error{dynamic.error()};
  if (!*dynamic)
    return Error{"'" + path +
                 "' is linked statically: nothing can be loaded into it; link it dynamically"};
  return path;
}

Expected<bool> make_controlled(const std::string& program, const std::string& directory,
                               std::vector<std::string>& variables) {
  variables.emplace_back("JOSTLE_INTERNAL_RUN=1");
  variables.push_back("JOSTLE_INTERNAL_DIRECTORY=" + directory);
  // Room for what the program is asked when it starts itself again: where the stack begins depends
  // on how much there is before it.
  variables.push_back("JOSTLE_INTERNAL_SPAWNED=" + std::string(50, ' '));
  // What is bound during an execution would be forgotten with it, and bound again in the next.
  if (!std::getenv("LD_BIND_NOW")) {
    variables.emplace_back("LD_BIND_NOW=1");
    variables.emplace_back("JOSTLE_INTERNAL_BIND=1");
  }
  const std::string lib = program_library();
  variables.push_back("JOSTLE_INTERNAL_LIBRARY=" + lib);  // for programs that this one starts
  const auto bytes = read_file(program, std::size_t{1} << 32);
  if (bytes && linked_with_jostle(*bytes)) return true;
  if (lib.empty())
    return Error{"libjostle_program.so is missing beside the jostle command: install Jostle again"};
  const char* own = std::getenv("LD_PRELOAD");
  variables.push_back(std::string("JOSTLE_INTERNAL_PRELOAD=") + (own ? own : ""));
  variables.push_back("LD_PRELOAD=" + lib + (own && *own ? std::string(":") + own : ""));
  return true;
}

}  // namespace jostle::cli
