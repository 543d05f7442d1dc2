#include "cli/compile_arguments.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "trace/file_io.h"

namespace jostle::cli {
namespace {

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Options of gcc and clang whose value is the next argument.
constexpr std::string_view kTakesNext[] = {"-o",
                                           "-x",
                                           "-I",
                                           "-D",
                                           "-U",
                                           "-A",
                                           "-L",
                                           "-l",
                                           "-T",
                                           "-u",
                                           "-z",
                                           "-e",
                                           "-B",
                                           "-F",
                                           "-G",
                                           "-include",
                                           "-imacros",
                                           "-idirafter",
                                           "-iprefix",
                                           "-iwithprefix",
                                           "-iwithprefixbefore",
                                           "-isysroot",
                                           "-isystem",
                                           "-imultilib",
                                           "-iquote",
                                           "-include-pch",
                                           "-ivfsoverlay",
                                           "-MF",
                                           "-MT",
                                           "-MQ",
                                           "-MJ",
                                           "-Xlinker",
                                           "-Xassembler",
                                           "-Xpreprocessor",
                                           "-Xclang",
                                           "-mllvm",
                                           "-target",
                                           "-arch",
                                           "-aux-info",
                                           "-dumpbase",
                                           "-dumpbase-ext",
                                           "-dumpdir",
                                           "-wrapper",
                                           "--param",
                                           "--sysroot",
                                           "--output",
                                           "--language",
                                           "--include",
                                           "--imacros",
                                           "--include-directory",
                                           "--define-macro",
                                           "--undefine-macro",
                                           "--library-directory",
                                           "-specs",
                                           "--specs",
                                           "--serialize-diagnostics"};

constexpr std::string_view kNoLink[] = {"-c",
                                        "-S",
                                        "-E",
                                        "-M",
                                        "-MM",
                                        "--compile",
                                        "--assemble",
                                        "--preprocess",
                                        "--analyze",
                                        "-emit-ast",
                                        "--precompile",
                                        "-fsyntax-only",
                                        "--dependencies",
                                        "--user-dependencies"};
constexpr std::string_view kPreprocess[] = {
    "-E", "-M", "-MM", "--preprocess", "--dependencies", "--user-dependencies"};

// Answered by the compiler whatever else is asked for.
bool is_question(std::string_view a) {
  constexpr std::string_view kWhole[] = {
      "--version",     "-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs", "-###",
      "--target-help", "-help",        "--help",           "-cc1",         "-cc1as"};
  return is_one_of(a, kWhole) || a.starts_with("-print-") || a.starts_with("--print-") ||
         a.starts_with("--help=");
}

enum class Input { c, header, preprocessed, assembler, cpp_assembler, other };

Input input_by_name(std::string_view name) {
  if (name == "-") return Input::c;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || name.find('/', dot) != std::string_view::npos)
    return Input::other;
  const std::string_view suffix = name.substr(dot + 1);
  constexpr std::string_view kC[] = {"c", "cc",  "cp",   "cxx", "cpp", "CPP", "c++",
                                     "C", "ixx", "cppm", "m",   "mm",  "M"};
  constexpr std::string_view kHeaders[] = {"h", "hh", "H", "hp", "hxx", "hpp", "HPP", "h++", "tcc"};
  constexpr std::string_view kPreprocessed[] = {"i", "ii", "mi", "mii"};
  constexpr std::string_view kCppAssembler[] = {"S", "sx"};
  if (is_one_of(suffix, kC)) return Input::c;
  if (is_one_of(suffix, kHeaders)) return Input::header;
  if (is_one_of(suffix, kPreprocessed)) return Input::preprocessed;
  if (is_one_of(suffix, kCppAssembler)) return Input::cpp_assembler;
  return suffix == "s" ? Input::assembler : Input::other;
}

Input input_by_language(std::string_view language) {
  constexpr std::string_view kC[] = {"c", "c++", "objective-c", "objective-c++", "c++-module"};
  if (is_one_of(language, kC)) return Input::c;
  if (language.ends_with("-header")) return Input::header;
  if (language.ends_with("cpp-output")) return Input::preprocessed;
  if (language == "assembler-with-cpp") return Input::cpp_assembler;
  return language == "assembler" ? Input::assembler : Input::other;
}

// The words of a response file, as gcc's libiberty reads them.
Words words_of(std::string_view text) {
  Words words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

// Only for looking: response files are handed on as they are.
void expand(const Words& in, Words& out, int depth) {
  for (const std::string& a : in) {
    if (a.size() > 1 && a[0] == '@' && depth < 10) {
      if (const auto text = read_file(a.substr(1), 16u << 20)) {
        expand(words_of(*text), out, depth + 1);
        continue;
      }
    }
    out.push_back(a);
  }
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> items;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    items.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

class Examiner {
 public:
  Expected<CompileTask> examine(const Words& given) {
    Words all;
    expand(given, all, 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string& a = all[i];
      if (a == "--") {
        for (++i; i < all.size(); ++i) add_input(all[i]);
      } else if (a.size() > 1 && a[0] == '-') {
        const bool has_next = is_one_of(a, kTakesNext);
        look_at(a, has_next && i + 1 < all.size() ? std::string_view(all[i + 1]) : "");
        if (has_next) ++i;
      } else {
        add_input(a);
      }
    }
    return conclude(given);
  }

 private:
  void look_at(std::string_view a, std::string_view next) {
    if (is_question(a)) task_.question = true;
    if (is_one_of(a, kNoLink)) no_link_ = true;
    if (is_one_of(a, kPreprocess)) task_.preprocesses = true;
    if (a == "-x" || a == "--language") {
      language_ = next;
    } else if (a.starts_with("-x")) {
      language_ = a.substr(2);
    } else if (a.starts_with("--language=")) {
      language_ = a.substr(11);
    } else if (a.starts_with("-l")) {
      ++inputs_;
    } else if (a == "-r" || a == "--relocatable") {
      relocatable_ = true;
    } else if (a == "-shared" || a == "--shared") {
      task_.shared = true;
    } else if (a == "-static" || a == "--static" || a == "-static-pie") {
      static_ = a;
    } else if (a == "-m32" || a == "-mx32") {
      machine_ = a;
    } else if (a == "-m64") {
      machine_.clear();
    } else if (a == "-fno-lto") {
      lto_.clear();
    } else if (a == "-flto" || a.starts_with("-flto=")) {
      lto_ = a;
    } else if (a.starts_with("-save-temps") || a == "--save-temps" || a == "-no-integrated-cpp") {
      two_stages_ = a;
    } else if (a.starts_with("-fsanitize=")) {
      for (const std::string_view s : split(a.substr(11))) sanitizer(s, true);
    } else if (a.starts_with("-fno-sanitize=")) {
      for (const std::string_view s : split(a.substr(14))) sanitizer(s, false);
    } else if (a.starts_with("-Wl,")) {
      for (const std::string_view s : split(a.substr(4))) linker_.emplace_back(s);
    } else if (a == "-Xlinker") {
      linker_.emplace_back(next);
    } else if (a == "-z") {
      linker_.insert(linker_.end(), {"-z", std::string(next)});
    }
  }

  void sanitizer(std::string_view name, bool on) {
    // What has a malloc of its own, or its own idea of threads.
    constexpr std::string_view kForeign[] = {"address", "hwaddress", "leak",           "memory",
                                             "memtag",  "dataflow",  "kernel-address", "realtime"};
    if (name == "thread" || (name == "all" && !on)) thread_off_ = !on;
    if (name == "thread" && on) asks_for_thread_ = true;
    if (is_one_of(name, kForeign)) {
      std::erase(foreign_, name);
      if (on) foreign_.emplace_back(name);
    } else if (name == "all" && !on) {
      foreign_.clear();
    }
  }

  void add_input(std::string_view name) {
    ++inputs_;
    const Input kind = language_.empty() || language_ == "none" ? input_by_name(name)
                                                                : input_by_language(language_);
    if (kind == Input::c || kind == Input::preprocessed || kind == Input::header) compiles_ = true;
    if (kind == Input::preprocessed) preprocessed_ = name;
    if (kind == Input::cpp_assembler) task_.has_assembler = true;
    if (kind == Input::header)
      ++headers_;  // makes a precompiled header
    else
      ++others_;
  }

  Expected<CompileTask> conclude(const Words& given) {
    if (inputs_ == 0) task_.question = true;
    if (task_.question) return task_;
    task_.links = !no_link_ && (others_ > 0 || headers_ == 0);
    task_.instruments = compiles_ && !thread_off_;
    for (std::size_t i = 0; i < linker_.size(); ++i)
      task_.refuses_undefined |=
          linker_[i] == "--no-undefined" || linker_[i] == "-no-undefined" ||
          linker_[i] == "-zdefs" ||
          (linker_[i] == "-z" && i + 1 < linker_.size() && linker_[i + 1] == "defs");
    if (!machine_.empty() && (compiles_ || task_.links))
      return Error{machine_ + ": Jostle runs on x86-64 only"};
    if (!foreign_.empty() && (compiles_ || task_.links))
      return Error{
          "-fsanitize=" + foreign_.front() +
          " brings a runtime that takes over memory or threads, as Jostle's does: leave it "
          "out (Jostle finds uses after free itself)"};
    if (!lto_.empty() && (task_.instruments || task_.links))
      return Error{lto_ +
                   ": link-time optimisation removes the instrumentation: build with "
                   "-fno-lto"};
    if (task_.links && !static_.empty())
      return Error{static_ +
                   ": Jostle takes over functions of the C library when the program is "
                   "loaded, which a static program cannot do: link without " +
                   static_};
    if (task_.links && task_.instruments) {
      // In one call, gcc hands the flag to the compiler proper along with the preprocessor's.
      const std::string what = !preprocessed_.empty() ? preprocessed_ : two_stages_;
      if (!what.empty())
        return Error{what +
                     ": compile with -c and link in two calls, or the code would not be "
                     "instrumented"};
      if (asks_for_thread_ && !in_plain_sight(given))
        return Error{
            "-fsanitize=thread in a response file would link libtsan: leave it out, "
            "Jostle adds what it needs"};
    }
    if (relocatable_) task_.links = false;  // objects into one object: nothing of ours
    return task_;
  }

  static bool in_plain_sight(const Words& given) {
    return std::any_of(given.begin(), given.end(),
                       [](const std::string& a) { return a.starts_with("-fsanitize="); });
  }

  CompileTask task_;
  std::size_t inputs_ = 0, headers_ = 0, others_ = 0;
  bool no_link_ = false, compiles_ = false, relocatable_ = false;
  bool thread_off_ = false, asks_for_thread_ = false;
  std::string language_, static_, machine_, lto_, two_stages_, preprocessed_;
  Words linker_, foreign_;
};

// As cmake/JostleInstrument.cmake has them, without the header.
Words flags_of(CompilerId id) {
  return words_of(id == CompilerId::gcc ? JOSTLE_FLAGS_GNU : JOSTLE_FLAGS_CLANG);
}

// The user's own -fsanitize=thread: our flags say it in a way that does not link libtsan.
Words without_thread(const Words& arguments) {
  Words out;
  for (const std::string& a : arguments) {
    if (!a.starts_with("-fsanitize=")) {
      out.push_back(a);
      continue;
    }
    std::string kept;
    for (const std::string_view s : split(std::string_view(a).substr(11)))
      if (s != "thread") kept += (kept.empty() ? "" : ",") + std::string(s);
    if (!kept.empty()) out.push_back("-fsanitize=" + kept);
  }
  return out;
}

}  // namespace

Expected<CompileTask> examine(const Words& arguments) { return Examiner().examine(arguments); }

bool needs_library(const CompileTask& task) {
  return task.links && (!task.shared || task.refuses_undefined);
}

Words arguments_for(const CompileTask& task, CompilerId id, const Installation& where,
                    const Words& arguments) {
  if (task.question) return arguments;
  const bool both = task.links && task.instruments;
  Words front, back;
  if (needs_library(task))
    // First of all libraries: the dynamic linker then finds our functions before those of others.
    // The linker would drop a library that nobody has asked for yet.
    front = {"-L" + where.library_directory, "-Wl,-rpath," + where.library_directory,
             "-Wl,--push-state,--no-as-needed", "-ljostle_program", "-Wl,--pop-state"};
  if (task.instruments && task.preprocesses) {
    // What it defines, but no declarations of ours: the output may be no C at all.
    back = {"-fsanitize=thread"};
  } else if (task.instruments) {
    for (const std::string& flag : flags_of(id)) {
      if (flag == "-g")
        front.push_back(flag);  // another level that the user wants counts
      else if (flag != "-fsanitize=thread" || !both)
        back.push_back(flag);
      else if (id == CompilerId::gcc)
        back.push_back("-Wp,-fsanitize=thread");
      else
        back.insert(back.end(), {"-Xclang", "-fsanitize=thread"});
    }
    // Last, so that a precompiled header, which has it already, can still come first.
    if (!task.has_assembler) back.insert(back.end(), {"-include", where.header});
  }
  if (task.links && !task.instruments) back.push_back("-fno-sanitize=thread");

  Words all = front;
  const Words own = both ? without_thread(arguments) : arguments;
  const auto end_of_options = std::find(own.begin(), own.end(), "--");
  all.insert(all.end(), own.begin(), end_of_options);
  all.insert(all.end(), back.begin(), back.end());
  all.insert(all.end(), end_of_options, own.end());
  return all;
}

}  // namespace jostle::cli
