#include "tests/check/toy.h"

#include <pthread.h>
#include <semaphore.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

namespace toy {
namespace {

constexpr int kObjects = 3;  // of each kind

}  // namespace

// --- making programs -----------------------------------------------------------------------------

Program random_program(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  // Each program uses a few kinds of operations, else most of them are independent.
  enum Kind { mutexes, atomics, conditions, semaphores, rwlocks, tries, kinds };
  const int first = below(kinds), second = below(kinds);
  Program p(static_cast<std::size_t>(2 + below(2)));
  for (auto& thread : p) {
    const int length = 2 + below(p.size() == 2 ? 4 : 2);
    std::vector<int> held;
    int holds_rw = -1;
    bool writes_rw = false;
    const auto release_rw = [&] {
      if (holds_rw < 0) return;
      thread.push_back({writes_rw ? Do::write_unlock : Do::read_unlock, holds_rw});
      holds_rw = -1;
    };
    for (int i = 0; i < length; ++i) {
      switch (below(2) ? first : second) {
        case mutexes: {
          const int m = below(2);
          if (std::find(held.begin(), held.end(), m) == held.end()) {
            thread.push_back({Do::lock, m});
            held.push_back(m);
          } else {
            thread.push_back({Do::unlock, m});
            held.erase(std::find(held.begin(), held.end(), m));
          }
          break;
        }
        case atomics:
          switch (below(4)) {
            case 0:
              thread.push_back({Do::load, below(2)});
              break;
            case 1:
              thread.push_back({Do::store, below(2), 1 + below(2)});
              break;
            case 2:
              thread.push_back({Do::add, below(2), 1});
              break;
            default:
              thread.push_back({Do::cas, below(2), below(2), 1 + below(2)});
          }
          break;
        case conditions: {
          const bool holds = std::find(held.begin(), held.end(), 0) != held.end();
          if (below(3) == 0) {
            if (!holds) thread.push_back({Do::lock, 0});
            thread.push_back({Do::wait, 0, 0});
            if (!holds) thread.push_back({Do::unlock, 0});
          } else {
            thread.push_back({below(3) ? Do::signal : Do::broadcast, 0});
          }
          break;
        }
        case semaphores:
          switch (below(3)) {
            case 0:
              thread.push_back({Do::sem_wait, 0});
              break;
            case 1:
              thread.push_back({Do::sem_try, 0});
              break;
            default:
              thread.push_back({Do::sem_post, 0});
          }
          break;
        case rwlocks:
          if (holds_rw >= 0) {
            release_rw();
          } else if (below(4) == 0) {
            thread.push_back({Do::try_write_lock, 0});
          } else {
            writes_rw = below(2);
            holds_rw = 0;
            thread.push_back({writes_rw ? Do::write_lock : Do::read_lock, 0});
          }
          break;
        default:
          if (std::find(held.begin(), held.end(), 0) == held.end())
            thread.push_back({Do::try_lock, 0});
          else
            thread.push_back({Do::load, 0});
      }
    }
    release_rw();
    while (!held.empty()) {
      thread.push_back({Do::unlock, held.back()});
      held.pop_back();
    }
  }
  return p;
}

Program random_polling_program(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  Program p(static_cast<std::size_t>(2 + below(2)));
  for (auto& thread : p) {
    const int length = 1 + below(3);
    for (int i = 0; i < length; ++i) {
      const int a = below(2);
      const bool holds = below(5) == 0;  // the other lock meanwhile
      if (holds) thread.push_back({Do::lock, 1 - a});
      switch (below(5)) {
        case 0:
          thread.push_back({Do::poll, a, 1 + below(2)});
          break;
        case 1:
          thread.push_back({Do::poll_atomic, a, 1});
          break;
        case 2:
          thread.push_back({Do::add, a, 1});
          break;
        default:
          thread.push_back({Do::put, a, 1});
      }
      if (holds) thread.push_back({Do::unlock, 1 - a});
    }
  }
  return p;
}

std::string to_text(const Program& p) {
  static const char* const kNames[] = {
      "lock",     "unlock",    "try_lock",    "load",       "store",        "add",
      "cas",      "wait",      "signal",      "broadcast",  "sem_wait",     "sem_try",
      "sem_post", "read_lock", "read_unlock", "write_lock", "write_unlock", "try_write_lock",
      "put",      "poll",      "poll_atomic"};
  std::ostringstream out;
  for (std::size_t t = 0; t < p.size(); ++t) {
    out << "T" << t << ":";
    for (const Op& o : p[t])
      out << " " << kNames[static_cast<int>(o.what)] << "(" << o.a << "," << o.b << "," << o.c
          << ")";
    out << "\n";
  }
  return out.str();
}

// --- brute force ---------------------------------------------------------------------------------

namespace {

// The table as data: pairs of names.
bool depends(const std::string& a, const std::string& b) {
  static const std::set<std::pair<std::string, std::string>> table = [] {
    std::set<std::pair<std::string, std::string>> t;
    const auto row = [&](const std::string& name, const std::string& list) {
      std::istringstream in(list);
      for (std::string word; std::getline(in, word, ',');) {
        word.erase(0, word.find_first_not_of(' '));
        t.insert({name, word});
      }
    };
#define JOSTLE_TOUCH(name, cls, ...) row(#name, #__VA_ARGS__);
#include "src/sched/touches.def"
#undef JOSTLE_TOUCH
    return t;
  }();
  return table.contains({a, b});
}

struct Did {
  int thread;
  int choice = -1;  // whom a signal wakes
  int enabled_by = -1;
  std::vector<std::pair<std::string, std::string>> touches;  // object, touch
};

struct State {
  struct Thread {
    std::size_t pc = 0;
    int phase = 0;  // 1: waits on a condition; 2: woken, needs the mutex; or has to unlock;
                    // of a turn: 3 has the mutex, 4 is over, 5 was the last
    int woken_by = -1;
    std::uint64_t seen = 7;
  };
  std::vector<Thread> threads;
  int owner[kObjects] = {-1, -1, -1};
  int value[kObjects] = {};
  int plain[kObjects] = {};
  int semaphore[kObjects] = {1, 0, 0};
  int writer[kObjects] = {-1, -1, -1};
  int readers[kObjects] = {};
  std::vector<int> queue[kObjects];
};

class Enumeration {
 public:
  using Made = std::function<void(const State&, Did)>;
  Enumeration(const Program& p, std::uint64_t most) : program_(p), most_(most) {}

  Classes go() {
    State s;
    s.threads.resize(program_.size());
    step(s, -1, 0);
    for (const auto& [text, preemptions] : seen_) {
      if (out_.by_preemptions.size() <= preemptions) out_.by_preemptions.resize(preemptions + 1);
      ++out_.by_preemptions[preemptions];
    }
    out_.count = seen_.size();
    return out_;
  }

 private:
  bool over(const State& s, std::size_t t) const { return s.threads[t].pc == program_[t].size(); }

  bool enabled(const State& s, std::size_t t) const {
    if (over(s, t)) return false;
    const auto& th = s.threads[t];
    const Op& o = program_[t][th.pc];
    switch (o.what) {
      case Do::lock:
        return s.owner[o.a] < 0;
      case Do::put:
      case Do::poll:
      case Do::poll_atomic:
        return th.phase != 0 || s.owner[o.a] < 0;
      case Do::wait:
        return th.phase == 0 || (th.phase == 2 && s.owner[o.b] < 0);
      case Do::sem_wait:
        return s.semaphore[o.a] > 0;
      case Do::read_lock:
        return s.writer[o.a] < 0;
      case Do::write_lock:
        return s.writer[o.a] < 0 && s.readers[o.a] == 0;
      default:
        return true;
    }
  }

  void step(const State& s, int running, std::size_t preemptions) {
    if (out_.too_many) return;
    const std::vector<std::size_t> can = enabled_in(s);
    if (can.empty()) return finish(s, preemptions);
    for (const std::size_t t : can) {
      const bool preempts =
          running >= 0 && static_cast<int>(t) != running &&
          std::find(can.begin(), can.end(), static_cast<std::size_t>(running)) != can.end();
      advance(s, t, [&](const State& next, Did d) {
        trace_.push_back(std::move(d));
        step(next, static_cast<int>(t), preemptions + preempts);
        trace_.pop_back();
      });
    }
  }

  std::vector<std::size_t> enabled_in(const State& s) const {
    std::vector<std::size_t> can;
    for (std::size_t t = 0; t < program_.size(); ++t)
      if (enabled(s, t)) can.push_back(t);
    return can;
  }

  // Thread t's next operation, once for each choice that it has.
  void advance(const State& s, std::size_t t, const Made& made) const {
    const Op& o = program_[t][s.threads[t].pc];
    if (o.what == Do::signal && s.queue[o.a].size() > 1) {
      for (const int w : s.queue[o.a]) perform(s, t, w, made);
    } else {
      perform(s, t, -1, made);
    }
  }

  void perform(State s, std::size_t t, int choice, const Made& made) const {
    auto& th = s.threads[t];
    const Op& o = program_[t][th.pc];
    Did d;
    d.thread = static_cast<int>(t);
    d.choice = choice;
    const std::string n = std::to_string(o.a);
    const auto touch = [&](const char* object, const std::string& which, const char* how) {
      d.touches.emplace_back(object + which, how);
    };
    const auto see = [&](int v) { th.seen = th.seen * 31 + static_cast<std::uint64_t>(v + 1); };
    bool next = true;
    switch (o.what) {
      case Do::lock:
        s.owner[o.a] = d.thread;
        touch("m", n, "acquire");
        break;
      case Do::unlock:
        s.owner[o.a] = -1;
        touch("m", n, "release");
        break;
      case Do::try_lock:
        if (th.phase == 2) {
          s.owner[o.a] = -1;
          th.phase = 0;
          touch("m", n, "release");
        } else if (s.owner[o.a] < 0) {
          s.owner[o.a] = d.thread;
          see(1);
          th.phase = 2;
          next = false;
          touch("m", n, "acquire");
        } else {
          see(0);
          touch("m", n, "look_lock");
        }
        break;
      case Do::load:
        see(s.value[o.a]);
        touch("a", n, "read");
        break;
      case Do::store:
        s.value[o.a] = o.b;
        touch("a", n, "write");
        break;
      case Do::add:
        see(s.value[o.a]);
        s.value[o.a] += o.b;
        touch("a", n, "write");
        break;
      case Do::cas:
        see(s.value[o.a]);
        touch("a", n, s.value[o.a] == o.b ? "write" : "read");
        if (s.value[o.a] == o.b) s.value[o.a] = o.c;
        break;
      case Do::wait:
        if (th.phase == 0) {
          s.owner[o.b] = -1;
          s.queue[o.a].push_back(d.thread);
          th.phase = 1;
          next = false;
          touch("c", n, "wait");
          touch("m", std::to_string(o.b), "release");
        } else {
          s.owner[o.b] = d.thread;
          d.enabled_by = th.woken_by;
          th.phase = 0;
          touch("m", std::to_string(o.b), "acquire");
        }
        break;
      case Do::signal:
      case Do::broadcast: {
        touch("c", n, "signal");
        std::vector<int> woken;
        if (o.what == Do::broadcast)
          woken = s.queue[o.a];
        else if (!s.queue[o.a].empty())
          woken = {choice < 0 ? s.queue[o.a][0] : choice};
        for (const int w : woken) {
          s.queue[o.a].erase(std::find(s.queue[o.a].begin(), s.queue[o.a].end(), w));
          s.threads[static_cast<std::size_t>(w)].phase = 2;
          s.threads[static_cast<std::size_t>(w)].woken_by = static_cast<int>(trace_.size());
        }
        break;
      }
      case Do::sem_wait:
        --s.semaphore[o.a];
        touch("s", n, "take");
        break;
      case Do::sem_try:
        see(s.semaphore[o.a] > 0);
        touch("s", n, s.semaphore[o.a] > 0 ? "take" : "look_semaphore");
        if (s.semaphore[o.a] > 0) --s.semaphore[o.a];
        break;
      case Do::sem_post:
        ++s.semaphore[o.a];
        touch("s", n, "post");
        break;
      case Do::read_lock:
        ++s.readers[o.a];
        touch("r", n, "read_acquire");
        break;
      case Do::read_unlock:
        --s.readers[o.a];
        touch("r", n, "read_release");
        break;
      case Do::write_lock:
        s.writer[o.a] = d.thread;
        touch("r", n, "write_acquire");
        break;
      case Do::write_unlock:
        s.writer[o.a] = -1;
        touch("r", n, "write_release");
        break;
      case Do::try_write_lock:
        if (th.phase == 2) {
          s.writer[o.a] = -1;
          th.phase = 0;
          touch("r", n, "write_release");
        } else if (s.writer[o.a] < 0 && s.readers[o.a] == 0) {
          s.writer[o.a] = d.thread;
          see(1);
          th.phase = 2;
          next = false;
          touch("r", n, "write_acquire");
        } else {
          see(0);
          touch("r", n, "look_write");
        }
        break;
      case Do::put:
      case Do::poll:
      case Do::poll_atomic: {
        next = false;
        if (th.phase == 0) {
          s.owner[o.a] = d.thread;
          th.phase = 3;
          touch("m", n, "acquire");
        } else if (th.phase == 3) {
          int& v = o.what == Do::poll_atomic ? s.value[o.a] : s.plain[o.a];
          if (o.what == Do::put) v += o.b;
          th.phase = o.what == Do::put || v >= o.b ? 5 : 4;
          if (th.phase == 5 && o.what != Do::put) see(v);
        } else {
          s.owner[o.a] = -1;
          next = th.phase == 5;
          th.phase = 0;
          touch("m", n, "release");
        }
        break;
      }
    }
    if (next) ++th.pc;
    made(s, std::move(d));
  }

 public:
  Reached reach() {
    // Each state with those that lead to it, then backwards from the ends.
    std::map<std::string, std::vector<std::string>> before;
    std::vector<std::string> good;
    std::vector<State> open(1);
    open[0].threads.resize(program_.size());
    before[text_of(open[0])];
    Reached out;
    while (!open.empty()) {
      const State s = open.back();
      open.pop_back();
      const std::string from = text_of(s);
      bool all = true;
      for (std::size_t t = 0; t < program_.size(); ++t) all &= over(s, t);
      if (all) {
        out.finals.insert(final_of(s));
        good.push_back(from);
      }
      for (const std::size_t t : enabled_in(s))
        advance(s, t, [&](const State& next, const Did&) {
          const auto [it, fresh] = before.try_emplace(text_of(next));
          it->second.push_back(from);
          if (fresh) open.push_back(next);
        });
    }
    std::set<std::string> ends(good.begin(), good.end());
    while (!good.empty()) {
      const std::vector<std::string> from = before[good.back()];
      good.pop_back();
      for (const std::string& f : from)
        if (ends.insert(f).second) good.push_back(f);
    }
    out.stuck = ends.size() < before.size();
    return out;
  }

 private:
  static std::string final_of(const State& s) {
    std::ostringstream text;
    for (const auto& t : s.threads) text << t.seen << " ";
    for (const int v : s.value) text << v << " ";
    text << s.semaphore[0];
    return text.str();
  }
  // All of it, but for the queues: programs with loops have none.
  static std::string text_of(const State& s) {
    std::ostringstream text;
    text << final_of(s);
    for (const auto& t : s.threads) text << "|" << t.pc << " " << t.phase;
    for (int i = 0; i < kObjects; ++i) text << "|" << s.owner[i] << " " << s.plain[i];
    return text.str();
  }

  static bool dependent(const Did& a, const Did& b) {
    if (a.thread == b.thread) return true;
    for (const auto& [object, touch] : a.touches)
      for (const auto& [other, how] : b.touches)
        if (object == other && depends(touch, how)) return true;
    return false;
  }

  // Equivalent traces have the same normal form (Foata): operations as early as those that they
  // depend on allow, level by level.
  void finish(const State& s, std::size_t preemptions) {
    if (++interleavings_ > most_) {
      out_.too_many = true;
      return;
    }
    std::vector<std::size_t> level(trace_.size(), 0);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k)
        if (dependent(trace_[k], trace_[i]) || trace_[i].enabled_by == static_cast<int>(k))
          level[i] = std::max(level[i], level[k] + 1);
      char name[64];
      std::snprintf(name, sizeof name, "%03zu T%d>%d", level[i], trace_[i].thread,
                    trace_[i].choice);
      std::string text = name;
      for (const auto& [object, touch] : trace_[i].touches) text += " " + object + touch;
      names.push_back(text);
    }
    std::sort(names.begin(), names.end());
    std::string form;
    for (const std::string& n : names) form += n + ";";
    const auto [it, fresh] = seen_.try_emplace(form, preemptions);
    it->second = std::min(it->second, preemptions);
    bool all = true;
    for (std::size_t t = 0; t < program_.size(); ++t) all &= over(s, t);
    if (!all) {
      out_.deadlocks = true;
      return;
    }
    out_.finals.insert(final_of(s));
  }

  const Program& program_;
  std::uint64_t most_, interleavings_ = 0;
  std::vector<Did> trace_;
  std::map<std::string, std::size_t> seen_;
  Classes out_;
};

}  // namespace

Classes enumerate(const Program& p, std::uint64_t most) { return Enumeration(p, most).go(); }
Reached reach(const Program& p) { return Enumeration(p, 0).reach(); }

// --- real threads --------------------------------------------------------------------------------

namespace {

struct World {
  std::mutex m[kObjects];
  std::atomic<int> a[kObjects] = {};
  int plain[kObjects] = {};
  std::condition_variable c[kObjects];
  sem_t s[kObjects];
  pthread_rwlock_t r[kObjects];
  World() {
    for (int i = 0; i < kObjects; ++i) {
      sem_init(&s[i], 0, i == 0 ? 1 : 0);
      pthread_rwlock_init(&r[i], nullptr);
    }
  }
};

std::uint64_t run_thread(World& w, const std::vector<Op>& ops) {
  std::uint64_t seen = 7;
  const auto see = [&](int v) { seen = seen * 31 + static_cast<std::uint64_t>(v + 1); };
  for (const Op& o : ops) switch (o.what) {
      case Do::lock:
        w.m[o.a].lock();
        break;
      case Do::unlock:
        w.m[o.a].unlock();
        break;
      case Do::try_lock:
        if (w.m[o.a].try_lock()) {
          see(1);
          w.m[o.a].unlock();
        } else {
          see(0);
        }
        break;
      case Do::load:
        see(w.a[o.a].load());
        break;
      case Do::store:
        w.a[o.a].store(o.b);
        break;
      case Do::add:
        see(w.a[o.a].fetch_add(o.b));
        break;
      case Do::cas: {
        int expected = o.b;
        w.a[o.a].compare_exchange_strong(expected, o.c);
        see(expected);
        break;
      }
      case Do::wait: {
        std::unique_lock<std::mutex> lock(w.m[o.b], std::adopt_lock);
        w.c[o.a].wait(lock);
        lock.release();
        break;
      }
      case Do::signal:
        w.c[o.a].notify_one();
        break;
      case Do::broadcast:
        w.c[o.a].notify_all();
        break;
      case Do::sem_wait:
        sem_wait(&w.s[o.a]);
        break;
      case Do::sem_try:
        see(sem_trywait(&w.s[o.a]) == 0);
        break;
      case Do::sem_post:
        sem_post(&w.s[o.a]);
        break;
      case Do::read_lock:
        pthread_rwlock_rdlock(&w.r[o.a]);
        break;
      case Do::write_lock:
        pthread_rwlock_wrlock(&w.r[o.a]);
        break;
      case Do::read_unlock:
      case Do::write_unlock:
        pthread_rwlock_unlock(&w.r[o.a]);
        break;
      case Do::try_write_lock:
        if (pthread_rwlock_trywrlock(&w.r[o.a]) == 0) {
          see(1);
          pthread_rwlock_unlock(&w.r[o.a]);
        } else {
          see(0);
        }
        break;
      case Do::put: {
        std::lock_guard guard(w.m[o.a]);
        w.plain[o.a] += o.b;
        break;
      }
      case Do::poll:
      case Do::poll_atomic:
        for (;;) {
          std::lock_guard guard(w.m[o.a]);
          const int v = o.what == Do::poll ? w.plain[o.a] : w.a[o.a].load();
          if (v < o.b) continue;
          see(v);
          break;
        }
        break;
    }
  return seen;
}

}  // namespace

void execute(const Program& p, void (*final)(const std::string&)) {
  World w;
  std::vector<std::uint64_t> seen(p.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < p.size(); ++t)
    threads.emplace_back([&, t] { seen[t] = run_thread(w, p[t]); });
  for (std::thread& t : threads) t.join();
  std::ostringstream text;
  for (const std::uint64_t s : seen) text << s << " ";
  for (const auto& v : w.a) text << v.load() << " ";
  int value = 0;
  sem_getvalue(&w.s[0], &value);
  text << value;
  final(text.str());
}

}  // namespace toy
