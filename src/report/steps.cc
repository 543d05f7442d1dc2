#include "report/steps.h"

#include <algorithm>
#include <map>

#include "report/deadlock.h"
#include "report/event_text.h"
#include "report/selection.h"

namespace jostle::report {
namespace {

class Collector {
 public:
  Collector(View& v, std::size_t limit) : v_(v), limit_(limit) {}

  Steps collect() {
    const Selection selection = select_events(v_, limit_);
    for (std::size_t k = 0; k < selection.events.size(); ++k) {
      add_event(selection.events[k]);
      if (k == 0) continue;
      Change change = change_between(v_.trace, selection.events[k - 1], selection.events[k]);
      Step& s = out_.steps.back();
      s.change = std::move(change.text);
      s.interrupts = change.interrupts;
    }
    for (const Blocked& b : v_.trace.blocked) add_wait(b);
    add_threads();
    return std::move(out_);
  }

 private:
  Step& add(std::size_t order, ThreadId thread, EventKind kind, std::string text, const Frame& f) {
    Step s;
    s.order = order;
    s.thread = thread;
    s.kind = kind;
    s.text = std::move(text);
    s.function = short_function(f.function);
    s.file = located(f.file);
    s.line = f.line;
    out_.steps.push_back(std::move(s));
    return out_.steps.back();
  }

  void add_event(std::size_t i) {
    const Event& e = v_.trace.events[i];
    Step& s = add(i + 1, e.thread, e.kind, event_text(v_, i), where(v_.trace, v_.symbols, e));
    s.marked = e.flags & kRacing || names(v_.trace.outcome.failure, i);
    for (const Problem& p : v_.trace.races) s.marked |= names(p, i);
  }

  static bool names(const Problem& p, std::size_t i) {
    return p.place.event == i + 1 || p.other.event == i + 1;
  }

  void add_wait(const Blocked& b) {
    std::string text = wait_text(v_, b);
    if (b.owner != kNoThread && !b.spinning && b.kind != EventKind::thread_join)
      text += b.owner == b.thread             ? ", which it holds"
              : is_behind_writer(v_.trace, b) ? ", after " + thread_label(b.owner)
                                              : ", held by " + thread_label(b.owner);
    const std::size_t order = std::max(v_.trace.events.size(), last_order()) + 1;
    add(order, b.thread, b.kind, text, user_frame(v_.symbols, stack_of(v_.trace, b))).marked = true;
  }

  std::size_t last_order() const { return out_.steps.empty() ? 0 : out_.steps.back().order; }

  void add_threads() {
    std::vector<ThreadId> ids;
    for (const Step& s : out_.steps) ids.push_back(s.thread);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const ThreadId id : ids) out_.threads.push_back({id, thread_title(v_.trace, id)});
  }

  const std::string& located(const std::string& file) {
    const auto [entry, is_new] = files_.try_emplace(file);
    if (is_new && !file.empty()) entry->second = normalise(locate_source(file));
    return entry->second;
  }

  View& v_;
  std::size_t limit_;
  Steps out_;
  std::map<std::string, std::string> files_;
};

}  // namespace

Steps steps_of(View& v, std::size_t limit) { return Collector(v, limit).collect(); }

}  // namespace jostle::report
