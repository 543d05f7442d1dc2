// Writes JSON from front to back. Commas, line breaks and indentation come by themselves; braces
// are the caller's to balance.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "report/formats/encode.h"

namespace jostle::report {

class JsonWriter {
 public:
  JsonWriter& key(std::string_view name) {
    separate();
    out_ += json_string(name) + ": ";
    after_key_ = true;
    return *this;
  }

  void open_object() { open('{'); }
  void open_array() { open('['); }
  // What is opened so stands on one line.
  void open_flat_object() {
    open('{');
    levels_.back().flat = true;
  }
  void open_flat_array() {
    open('[');
    levels_.back().flat = true;
  }
  void close() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (!level.empty && !level.flat) break_line();
    out_ += level.end;
    if (levels_.empty()) out_ += '\n';
  }

  void value(std::string_view text) { add(json_string(text)); }
  void value(const char* text) { add(json_string(text)); }
  void value(bool b) { add(b ? "true" : "false"); }
  void value(double number) { add(decimal(number)); }
  void value(std::unsigned_integral auto number) { add(std::to_string(number)); }

  // A member of an object.
  void member(std::string_view name, const auto& v) { key(name).value(v); }
  // The same, left out when empty.
  void some(std::string_view name, std::string_view text) {
    if (!text.empty()) member(name, text);
  }
  void member(std::string_view name, const std::vector<std::string>& words) {
    key(name).open_array();
    for (const std::string& w : words) value(std::string_view(w));
    close();
  }

  const std::string& text() const { return out_; }

 private:
  struct Level {
    char end;
    bool empty = true, flat = false;
  };

  void open(char bracket) {
    separate();
    out_ += bracket;
    levels_.push_back({bracket == '{' ? '}' : ']'});
    if (levels_.size() > 1) levels_.back().flat = levels_[levels_.size() - 2].flat;
  }

  void add(std::string_view text) {
    separate();
    out_ += text;
  }

  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (!level.empty) out_ += level.flat ? ", " : ",";
    level.empty = false;
    if (!level.flat) break_line();
  }

  void break_line() {
    out_ += '\n';
    out_.append(levels_.size() * 2, ' ');
  }

  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace jostle::report
