#include "report/frames.h"

namespace jostle::report {
namespace {

// Index after the bracket that closes the one at `at`; the end of the text if none does.
std::size_t skip_brackets(std::string_view s, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    // The '>' of "->" closes nothing.
    const bool arrow = c == '>' && i > 0 && s[i - 1] == '-';
    if ((c == ')' || (c == '>' && !arrow) || c == '}' || c == ']') && --depth == 0) return i + 1;
  }
  return s.size();
}

bool starts_word(std::string_view s, std::size_t at, std::string_view word) {
  if (!s.substr(at).starts_with(word)) return false;
  if (at == 0) return true;
  const char before = s[at - 1];
  return before == ':' || before == ' ' || before == ')';
}

// "operator" and what belongs to its name: its brackets are no parameter list.
std::size_t operator_length(std::string_view rest) {
  constexpr std::string_view kWord = "operator";
  for (const std::string_view symbol :
       {"()", "[]", "<=>", "<<=", ">>=", "<<", ">>", "<=", ">=", "->*", "->", "<", ">"})
    if (rest.substr(kWord.size()).starts_with(symbol)) return kWord.size() + symbol.size();
  for (const std::string_view word : {" new[]", " delete[]"})
    if (rest.substr(kWord.size()).starts_with(word)) return kWord.size() + word.size();
  // A conversion or "new": the type goes up to the parameter list.
  if (rest.substr(kWord.size()).starts_with(" ")) {
    const std::size_t end = rest.find_first_of("(<");
    return end == std::string_view::npos ? rest.size() : end;
  }
  return kWord.size();
}

// "{lambda(int)#1}" -> "{lambda#1}"
std::string without_parameters(std::string_view braces) {
  const std::size_t open = braces.find('(');
  if (open == std::string_view::npos) return std::string(braces);
  return std::string(braces.substr(0, open)) +
         std::string(braces.substr(skip_brackets(braces, open)));
}

// A closure is "{lambda#1}::operator()" to gcc and "$_0::operator()" to clang, which count them
// differently, and an edit elsewhere changes the count: the number says nothing lasting.
void simplify_closures(std::string& name) {
  for (std::size_t at = 0; (at = name.find("$_", at)) != std::string::npos;) {
    std::size_t end = at + 2;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    name.replace(at, end - at, "{lambda}");
  }
  for (std::size_t at = 0; (at = name.find("{lambda#", at)) != std::string::npos; ++at) {
    const std::size_t end = name.find('}', at);
    if (end == std::string::npos) break;
    name.replace(at, end + 1 - at, "{lambda}");
  }
  constexpr std::string_view kCall = "}::operator()";
  for (std::size_t at = 0; (at = name.find(kCall, at)) != std::string::npos; ++at)
    name.erase(at + 1, kCall.size() - 1);
}

}  // namespace

std::string short_function(std::string_view s) {
  std::string out;
  std::size_t i = 0;
  while (i < s.size()) {
    const char c = s[i];
    if (constexpr std::string_view kAnonymous = "(anonymous namespace)::";
        s.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size();
    } else if (starts_word(s, i, "operator")) {
      const std::size_t n = operator_length(s.substr(i));
      out += s.substr(i, n);
      i += n;
    } else if (c == '(' || c == '<' || c == '[') {
      i = skip_brackets(s, i);
    } else if (c == '{') {
      const std::size_t end = skip_brackets(s, i);
      out += without_parameters(s.substr(i, end - i));
      i = end;
    } else if (c == ' ') {
      const std::string_view rest = s.substr(i + 1);
      if (rest.starts_with("[clone") || rest.starts_with("(.")) break;
      std::size_t qualifier = 0;
      for (const std::string_view q : {"const", "volatile", "noexcept", "&&", "&"})
        if (rest.starts_with(q) && qualifier == 0) qualifier = q.size();
      // What came before was the return type, except in "operator< <int>".
      if (qualifier == 0 && !rest.starts_with("<")) out.clear();
      i += 1 + qualifier;
    } else {
      out += c;
      ++i;
    }
  }
  simplify_closures(out);
  return out.empty() ? std::string(s) : out;
}

}  // namespace jostle::report
