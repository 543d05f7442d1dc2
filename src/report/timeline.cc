// One column per thread. Only one event stands in a row, so a column may run over those to its
// right: columns can lie close together and six threads still fit into 80 characters.
#include <algorithm>

#include "report/event_text.h"
#include "report/selection.h"
#include "report/terminal.h"
#include "report/text.h"

namespace jostle::report {
namespace {

constexpr std::size_t kGutter = 6;       // number of the event
constexpr std::size_t kLastColumn = 38;  // the rightmost thread needs at least this
constexpr std::size_t kWidestColumn = 24;
constexpr std::size_t kMostColumns = 6;

class Timeline {
 public:
  Timeline(View& v, const RenderOptions& o)
      : v_(v), options_(o), selection_(select_events(v, o.max_events)) {
    for (const std::size_t i : selection_.events) {
      const ThreadId t = v_.trace.events[i].thread;
      if (std::find(threads_.begin(), threads_.end(), t) == threads_.end()) threads_.push_back(t);
    }
    std::sort(threads_.begin(), threads_.end());
    width_ = std::max<std::size_t>(options_.width, 40);
    columns_ = threads_.size() <= kMostColumns && width_ >= kGutter + kLastColumn;
    if (columns_ && threads_.size() > 1)
      step_ = std::min(kWidestColumn, (width_ - kGutter - kLastColumn) / (threads_.size() - 1));
    // Columns that nobody can tell apart are worse than labels.
    if (threads_.size() > 1 && step_ < 6) columns_ = false;
  }

  std::string text() {
    if (selection_.events.empty()) return "";
    if (columns_) add_heading();
    for (std::size_t k = 0; k < selection_.events.size(); ++k) {
      if (selection_.skipped[k] > 0) add_gap(selection_.skipped[k]);
      const std::size_t i = selection_.events[k];
      if (k > 0) add_switch(selection_.events[k - 1], i);
      add_event(i);
    }
    if (selection_.skipped.back() > 0) add_gap(selection_.skipped.back());
    if (v_.trace.truncated) out_ += "      (the record ends here; the execution went on)\n";
    if (const std::size_t n = selection_.private_events; n > 0)
      out_ +=
          painted("      (not shown: " + std::to_string(n) +
                      (n == 1 ? " operation" : " operations") + " on what only one thread touches)",
                  Paint::dim, options_.color) +
          "\n";
    return out_;
  }

 private:
  std::size_t column_of(ThreadId t) const {
    return static_cast<std::size_t>(std::find(threads_.begin(), threads_.end(), t) -
                                    threads_.begin());
  }

  void add_heading() {
    std::string line(kGutter, ' ');
    for (std::size_t c = 0; c < threads_.size(); ++c) {
      const bool last = c + 1 == threads_.size();
      const std::size_t room = last ? kLastColumn : step_ - 1;
      std::string title = thread_title(v_.trace, threads_[c]);
      if (width_of(title) > room) title = thread_label(threads_[c]);
      line += painted(title, Paint::thread, options_.color, static_cast<unsigned>(c));
      if (!last) line.append(step_ - std::min(step_, width_of(title)), ' ');
    }
    out_ += line + "\n";
  }

  // The row up to where thread `t` writes: lifelines of the threads to its left.
  std::string lead(ThreadId t, std::string_view gutter) const {
    std::string line = painted(padded(gutter, kGutter), Paint::dim, options_.color);
    if (!columns_) return line + padded(gutter.empty() ? "" : thread_label(t), 6);
    for (std::size_t c = 0; c < column_of(t); ++c)
      line += painted(padded("│", step_), Paint::dim, options_.color);
    return line;
  }

  std::size_t room(ThreadId t) const {
    return width_ - kGutter - (columns_ ? column_of(t) * step_ : 6);
  }

  void add_event(std::size_t i) {
    const Event& e = v_.trace.events[i];
    const auto colour = static_cast<unsigned>(column_of(e.thread));
    std::string number = std::to_string(i + 1);
    if (number.size() + 1 < kGutter) number.insert(0, kGutter - 1 - number.size(), ' ');
    const std::string text = clipped(event_text(v_, i), room(e.thread));
    const bool racing = e.flags & kRacing;
    out_ += lead(e.thread, number) +
            painted(text, racing ? Paint::red : Paint::thread, options_.color, colour) + "\n";
    add_source(e);
  }

  // The line of code, unless the thread is still where it was shown last.
  void add_source(const Event& e) {
    const Frame f = where(v_.trace, v_.symbols, e);
    if (f.file.empty() && f.function.empty()) return;
    const auto shown = std::find_if(places_.begin(), places_.end(),
                                    [&](const auto& p) { return p.first == e.thread; });
    if (shown != places_.end() && shown->second == f) return;
    if (shown != places_.end())
      shown->second = f;
    else
      places_.emplace_back(e.thread, f);
    std::string text = "  " + place_text(f);
    if (const std::string_view code = v_.source.line(f.file, f.line); !code.empty())
      text += "  " + std::string(code);
    else if (!f.function.empty() && !f.file.empty())
      text += "  in " + short_function(f.function);
    out_ += lead(e.thread, "") +
            painted(clipped(text, room(e.thread)), Paint::dim, options_.color) + "\n";
  }

  void add_switch(std::size_t before, std::size_t now) {
    const auto [text, interrupts] = change_between(v_.trace, before, now);
    if (text.empty()) return;
    const std::string_view rule = interrupts ? "━" : "─";
    std::string line = std::string(rule) + std::string(rule) + " " + text + " ";
    const std::size_t length = std::min<std::size_t>(width_, 60);
    for (std::size_t w = width_of(line); w < length; ++w) line += rule;
    out_ += painted(line, interrupts ? Paint::bold : Paint::dim, options_.color) + "\n";
  }

  void add_gap(std::size_t n) {
    const std::string text = "… " + std::to_string(n) + (n == 1 ? " event …" : " events …");
    out_ += std::string(kGutter, ' ') + painted(text, Paint::dim, options_.color) + "\n";
  }

  View& v_;
  const RenderOptions& options_;
  Selection selection_;
  std::vector<ThreadId> threads_;
  std::vector<std::pair<ThreadId, Frame>> places_;
  std::size_t width_ = 80, step_ = 0;
  bool columns_ = true;
  std::string out_;
};

}  // namespace

std::string render_timeline(View& v, const RenderOptions& options) {
  return Timeline(v, options).text();
}

}  // namespace jostle::report
