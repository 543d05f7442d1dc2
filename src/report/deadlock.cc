#include "report/deadlock.h"

#include <algorithm>

#include "report/event_text.h"
#include "report/ordering.h"
#include "report/text.h"

namespace jostle::report {
namespace {

// Whom the i-th waits for: the holder of its lock, or the thread it joins.
ThreadId waits_for(const Trace& t, std::size_t i) { return t.blocked[i].owner; }

std::size_t entry_of(const Trace& t, ThreadId thread) {
  for (std::size_t i = 0; i < t.blocked.size(); ++i)
    if (t.blocked[i].thread == thread) return i;
  return t.blocked.size();
}

// When the process that it belongs to was forked; 0 for the first one.
std::size_t start_of_process(const Trace& t, ThreadId thread) {
  for (std::size_t i = 0; i < t.events.size(); ++i)
    if (t.events[i].kind == EventKind::process_fork && t.events[i].other == thread) return i;
  const ThreadId parent = thread < t.threads.size() ? t.threads[thread].parent : kNoThread;
  return parent == kNoThread ? 0 : start_of_process(t, parent);
}

bool has_ended(const Trace& t, ThreadId thread) {
  return std::any_of(t.events.begin(), t.events.end(), [&](const Event& e) {
    return e.thread == thread && e.kind == EventKind::thread_exit;
  });
}

bool signals(EventKind k) {
  return k == EventKind::cond_signal || k == EventKind::cond_broadcast ||
         k == EventKind::futex_wake || k == EventKind::sem_post || k == EventKind::once_done;
}

// A post of a semaphore stays there for who comes later.
bool reached_somebody(const Event& e) {
  if (e.kind == EventKind::cond_signal) return e.other != kNoThread;
  return e.value > 0 || (e.kind != EventKind::cond_broadcast && e.kind != EventKind::futex_wake);
}

std::string place_of(const Frame& f, std::string& file) {
  if (f.file.empty() || f.line == 0) return "";
  if (f.file == file) return " at :" + std::to_string(f.line);
  file = f.file;
  return " at " + place_text(f);
}

std::string place_of(View& v, std::size_t event, std::string& file) {
  return place_of(where(v.trace, v.symbols, v.trace.events[event]), file);
}

std::string place_of(View& v, const Blocked& b, std::string& file) {
  return place_of(user_frame(v.symbols, stack_of(v.trace, b)), file);
}

std::string object(View& v, const Blocked& b) {
  return "`" + v.naming.name(b.address, v.trace.events.size(), b.kind) + "`";
}

}  // namespace

std::vector<std::size_t> cycle_of(const Trace& t, std::size_t i) {
  std::vector<std::size_t> path;
  for (std::size_t at = i; at < t.blocked.size();) {
    path.push_back(at);
    at = entry_of(t, waits_for(t, at));
    if (at == i) return path;
    if (std::find(path.begin(), path.end(), at) != path.end()) return {};
  }
  return {};
}

bool is_behind_writer(const Trace& t, const Blocked& b) {
  const std::size_t i = entry_of(t, b.owner);
  return b.kind == EventKind::rwlock_rdlock && i < t.blocked.size() &&
         t.blocked[i].kind == EventKind::rwlock_wrlock && t.blocked[i].address == b.address &&
         last_acquisition(t, b.owner, b.address) == t.events.size();
}

std::size_t last_signal(const Trace& t, std::size_t i) {
  for (std::size_t e = t.events.size(); e-- > 0;)
    if (t.events[e].address == t.blocked[i].address && signals(t.events[e].kind)) return e;
  return t.events.size();
}

Stuck why_stuck(const Trace& t, std::size_t i) {
  const Blocked& b = t.blocked[i];
  if (b.spinning) return Stuck::spinning;
  if (b.owner == b.thread) return Stuck::itself;
  if (b.owner != kNoThread) {
    if (last_acquisition(t, b.owner, b.address) < start_of_process(t, b.thread))
      return Stuck::inherited;
    if (!cycle_of(t, i).empty()) return Stuck::cycle;
    return entry_of(t, b.owner) == t.blocked.size() && has_ended(t, b.owner) ? Stuck::abandoned
                                                                             : Stuck::behind;
  }
  if (b.kind == EventKind::thread_join) return Stuck::behind;
  const std::size_t signal = last_signal(t, i);
  if (signal == t.events.size()) return Stuck::no_signal;
  const Event& last = t.events[signal];
  if (last.kind == EventKind::cond_signal && last.other != kNoThread) return Stuck::used_signal;
  if (reached_somebody(last)) return Stuck::no_signal;
  // A signal that reached nobody before the wait began is the classic lost wakeup.
  for (std::size_t e = signal; e < t.events.size(); ++e)
    if (t.events[e].thread == b.thread && t.events[e].address == b.address)
      return Stuck::lost_signal;
  return Stuck::no_signal;
}

namespace {

// "waits to read from descriptor 5, a pipe"
std::string wait_text(const AwaitedDescriptor& d) {
  if (d.kind == DescriptorKind::process) return "waits for the end of a child process";
  std::string text = "waits to " + std::string(d.writes ? "write to" : "read from");
  if (d.kind == DescriptorKind::epoll) text = "waits at";
  text += " descriptor " + std::to_string(d.number);
  switch (d.kind) {
    case DescriptorKind::pipe:
      text += ", a pipe";
      break;
    case DescriptorKind::socket:
      text += ", a socket";
      break;
    case DescriptorKind::event_counter:
      text += ", an eventfd";
      break;
    case DescriptorKind::epoll:
      text += ", an epoll";
      break;
    case DescriptorKind::process:
    case DescriptorKind::unknown:
      break;
  }
  return text + (d.several ? ", or others" : "");
}

}  // namespace

std::string wait_text(View& v, const Blocked& b) {
  if (!b.spinning && b.descriptor.known) return wait_text(b.descriptor);
  if (!b.spinning && b.kind == EventKind::thread_join)
    return "waits for the end of " + (b.owner == kNoThread ? "a thread" : thread_label(b.owner));
  Address address = b.address;
  EventKind kind = b.kind;
  if (const std::size_t look = b.spinning ? look_in_vain(v.trace, b) : v.trace.events.size();
      look < v.trace.events.size()) {
    address = v.trace.events[look].address;
    kind = v.trace.events[look].kind;
  }
  const std::string name = address == 0 ? "" : v.naming.name(address, v.trace.events.size(), kind);
  if (!b.spinning) return "waits for " + (name.empty() ? "something" : name);
  const Frame f = user_frame(v.symbols, stack_of(v.trace, b));
  return "spins" + (f.function.empty() ? "" : " in " + short_function(f.function)) +
         (name.empty() ? "" : " on " + name);
}

std::string deadlock_headline(const Trace& t) {
  std::vector<std::string> lost, unsent;
  for (std::size_t i = 0; i < t.blocked.size(); ++i) {
    const std::string label = thread_label(t.blocked[i].thread);
    switch (why_stuck(t, i)) {
      case Stuck::cycle: {
        std::vector<std::string> labels;
        for (const std::size_t k : cycle_of(t, i))
          labels.push_back(thread_label(t.blocked[k].thread));
        std::sort(labels.begin(), labels.end());
        return listed(labels) + " wait for each other in a cycle";
      }
      case Stuck::itself:
        return label + " waits for a lock that it holds itself";
      case Stuck::abandoned:
        return label + " waits for a lock that " + thread_label(t.blocked[i].owner) +
               " still held when it ended";
      case Stuck::inherited:
        return label + " waits for a lock that " + thread_label(t.blocked[i].owner) +
               " held when the process was forked";
      case Stuck::lost_signal:
        lost.push_back(label);
        break;
      case Stuck::used_signal:
      case Stuck::no_signal:
        unsent.push_back(label);
        break;
      case Stuck::behind:
      case Stuck::spinning:
        break;
    }
  }
  if (!lost.empty())
    return listed(lost) + (lost.size() == 1 ? " waits" : " wait") +
           " for a signal that came too early: a lost wakeup";
  if (!unsent.empty())
    return listed(unsent) + (unsent.size() == 1 ? " waits" : " wait") +
           " for something that nobody left can bring about";
  return "no thread can go on";
}

std::string after_waking(const Trace& t, std::size_t i) {
  const ThreadId woken = t.events[last_signal(t, i)].other;
  if (woken == t.blocked[i].thread) return "it, but it waits again";
  const std::size_t there = entry_of(t, woken);
  const bool again = there < t.blocked.size() && t.blocked[there].address == t.blocked[i].address &&
                     !t.blocked[there].spinning;
  return thread_label(woken) + (again ? ", which waits again" : ", which sends none");
}

std::string deadlock_ordering(View& v) {
  const Trace& t = v.trace;
  std::string file;
  for (std::size_t i = 0; i < t.blocked.size(); ++i) {
    const Blocked& b = t.blocked[i];
    const Stuck why = why_stuck(t, i);
    if (why == Stuck::lost_signal) {
      const std::size_t signal = last_signal(t, i);
      std::string text = object(v, b) + " is " + std::string(participle(t.events[signal].kind));
      text += place_of(v, signal, file) + " by " + thread_label(t.events[signal].thread) +
              " before " + thread_label(b.thread) + " waits on it";
      return text + place_of(v, b, file);
    }
    if (why == Stuck::used_signal) {
      const std::size_t signal = last_signal(t, i);
      const Event& e = t.events[signal];
      std::string text = object(v, b) + " is signalled" + place_of(v, signal, file) + " by " +
                         thread_label(e.thread) + ", which wakes " + thread_label(e.other);
      if (e.other == b.thread) return text + ", and that waits on it again" + place_of(v, b, file);
      return text + " and not " + thread_label(b.thread) + ", waiting" + place_of(v, b, file);
    }
    if (why == Stuck::itself) {
      const std::size_t taken = last_acquisition(t, b.owner, b.address);
      if (taken == t.events.size()) return "";
      const std::string reading =
          t.events[taken].kind == EventKind::rwlock_rdlock && b.kind == EventKind::rwlock_wrlock
              ? " for reading"
              : "";
      std::string text = thread_label(b.thread) + " takes " + object(v, b) + reading;
      text += place_of(v, taken, file);
      text += reading.empty() ? " and wants it again" : " and then wants to write";
      return text + place_of(v, b, file);
    }
    if (why != Stuck::cycle) continue;
    // In the order in which the locks were taken; each thread then waits for the next one's.
    struct Hold {
      std::size_t event, blocked;
    };
    std::vector<Hold> holds;
    for (const std::size_t k : cycle_of(t, i)) {
      if (is_behind_writer(t, t.blocked[k])) continue;
      const std::size_t taken = last_acquisition(t, t.blocked[k].owner, t.blocked[k].address);
      if (taken == t.events.size()) return "";
      holds.push_back({taken, k});
    }
    std::sort(holds.begin(), holds.end(),
              [](const Hold& a, const Hold& c) { return a.event < c.event; });
    std::string text;
    for (const Hold& h : holds) {
      text += text.empty() ? "" : ", then ";
      text += thread_label(t.events[h.event].thread) + " takes " + object(v, t.blocked[h.blocked]);
      if (t.events[h.event].kind == EventKind::rwlock_rdlock) text += " for reading";
      text += place_of(v, h.event, file);
    }
    std::vector<std::size_t> waiting;
    for (const Hold& h : holds) waiting.push_back(entry_of(t, t.events[h.event].thread));
    for (const std::size_t k : cycle_of(t, i))  // who holds nothing
      if (std::find(waiting.begin(), waiting.end(), k) == waiting.end()) waiting.push_back(k);
    std::vector<std::string> waits;
    for (const std::size_t k : waiting) {
      const Blocked& w = t.blocked[k];
      waits.push_back(thread_label(w.thread) + " wants " + object(v, w) + place_of(v, w, file));
    }
    return text + "; now " + listed(waits);
  }
  return "";
}

}  // namespace jostle::report
