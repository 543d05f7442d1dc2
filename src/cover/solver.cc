#include "cover/solver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

namespace jostle::covering {
namespace {

constexpr std::size_t kMostAlternatives = 20'000;
constexpr const char* kLimit = "3000000";

// As much of its C interface as there is need for: questions are put in SMT-LIB.
struct Library {
  using Handle = void*;
  Handle (*mk_config)() = nullptr;
  void (*del_config)(Handle) = nullptr;
  Handle (*mk_context)(Handle) = nullptr;
  void (*del_context)(Handle) = nullptr;
  void (*set_error_handler)(Handle, void (*)(Handle, int)) = nullptr;
  const char* (*eval_smtlib2_string)(Handle, const char*) = nullptr;
  bool loaded = false;

  Library() {
    void* const so = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!so) return;
    loaded = true;
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(so, name));
      loaded &= function != nullptr;
    };
    load(mk_config, "Z3_mk_config");
    load(del_config, "Z3_del_config");
    load(mk_context, "Z3_mk_context");
    load(del_context, "Z3_del_context");
    load(set_error_handler, "Z3_set_error_handler");
    load(eval_smtlib2_string, "Z3_eval_smtlib2_string");
  }
};

const Library& library() {
  static const Library& l = *new Library;
  return l;
}

std::string ask(const std::string& question) {
  const Library& z3 = library();
  void* const config = z3.mk_config();
  void* const context = z3.mk_context(config);
  z3.del_config(config);
  z3.set_error_handler(context, [](void*, int) {});
  const char* const text = z3.eval_smtlib2_string(context, question.c_str());
  std::string answer = text ? text : "";
  z3.del_context(context);
  return answer;
}

class Names {
 public:
  void see(Point p) { of_.try_emplace({p.thread, p.position}, 0); }
  void see(const Edge& e) {
    see(e.from);
    see(e.to);
  }
  std::string declarations() {
    std::string s;
    std::size_t n = 0;
    for (auto& [point, number] : of_) {
      number = n++;
      s += "(declare-const p" + std::to_string(number) + " Int)\n";
    }
    for (auto i = of_.begin(); i != of_.end(); ++i)
      if (const auto next = std::next(i); next != of_.end() && next->first.first == i->first.first)
        s += "(assert (< p" + std::to_string(i->second) + " p" + std::to_string(next->second) +
             "))\n";
    return s;
  }
  std::string text(const Edge& e) const { return "(< " + name(e.from) + " " + name(e.to) + ")"; }

 private:
  std::string name(Point p) const { return "p" + std::to_string(of_.at({p.thread, p.position})); }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> of_;
};

}  // namespace

bool solver_there() { return library().loaded; }

Solution solve(const std::vector<Edge>& edges, const std::vector<Either>& alternatives) {
  Solution s;
  if (!library().loaded || alternatives.size() > kMostAlternatives) return s;
  Names names;
  for (const Edge& e : edges) names.see(e);
  for (const Either& e : alternatives) {
    names.see(e.first);
    names.see(e.second);
  }
  std::string question = "(set-option :rlimit " + std::string(kLimit) + ")\n(set-logic QF_IDL)\n";
  question += names.declarations();
  for (const Edge& e : edges) question += "(assert " + names.text(e) + ")\n";
  std::string values;
  for (const Either& e : alternatives) {
    question += "(assert (or " + names.text(e.first) + " " + names.text(e.second) + "))\n";
    values += " " + names.text(e.first);
  }
  question += "(check-sat)\n";
  if (!values.empty()) question += "(get-value (" + values + "))\n";
  // "sat", then "((TERM true) (TERM false) ...)"
  const std::string answer = ask(question);
  if (answer.starts_with("unsat")) s.answer = Solution::Answer::none;
  if (!answer.starts_with("sat")) return s;
  for (std::size_t at = 0; (at = answer.find_first_of("tf", at + 1)) != std::string::npos;) {
    if (answer.compare(at, 4, "true") == 0) s.first.push_back(true);
    if (answer.compare(at, 5, "false") == 0) s.first.push_back(false);
  }
  if (s.first.size() == alternatives.size()) s.answer = Solution::Answer::found;
  return s;
}

}  // namespace jostle::covering
