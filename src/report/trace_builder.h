// Traces written by hand, for tests of reports.
#pragma once

#include <cstring>
#include <string>

#include "events/trace.h"
#include "report/fake_symbols.h"

namespace jostle::report {

struct TraceBuilder {
  Trace trace;
  FakeSymbols symbols;

  explicit TraceBuilder(unsigned threads) {
    trace.stacks = {0};
    for (unsigned i = 0; i < threads; ++i) {
      ThreadInfo info;
      if (i > 0) {
        info.parent = 0;
        info.ordinal = static_cast<std::uint16_t>(i - 1);
      }
      trace.threads.push_back(info);
    }
  }

  // A pc at this place; the same place always gives the same pc.
  std::uint64_t pc(const std::string& function, const std::string& file, std::uint32_t line) {
    const Frame f{function, file, line};
    for (const auto& [at, frames] : symbols.code)
      if (frames.size() == 1 && frames[0] == f) return at;
    const std::uint64_t at = 0x1000 + symbols.code.size();
    symbols.code[at] = {f};
    return at;
  }

  Address variable(const std::string& name, std::uint64_t size = 4) {
    const Address at = 0x8000 + symbols.data.size() * 0x100;
    symbols.data[at] = {name, size};
    return at;
  }

  // Appends an event; returns it for more to be set.
  Event& add(ThreadId thread, EventKind kind, Address address, std::uint64_t pc) {
    Event e;
    e.thread = thread;
    e.kind = kind;
    e.address = address;
    e.pc = pc;
    e.size = 4;
    trace.events.push_back(e);
    return trace.events.back();
  }

  Event& valued(ThreadId thread, EventKind kind, Address address, std::uint64_t pc,
                std::uint64_t value) {
    Event& e = add(thread, kind, address, pc);
    e.value = value;
    e.flags |= kValueKnown;
    return e;
  }

  // The last event was reached by interrupting `running`.
  void interrupted(ThreadId running) {
    Decision d;
    d.event = static_cast<std::uint32_t>(trace.events.size() - 1);
    d.options = 2;
    d.chosen = trace.events.back().thread;
    d.running = running;
    d.preempts = true;
    trace.decisions.push_back(d);
    trace.events.back().decision = static_cast<std::uint32_t>(trace.decisions.size());
  }

  std::uint32_t stack(std::initializer_list<std::uint64_t> pcs) {
    const auto at = static_cast<std::uint32_t>(trace.stacks.size());
    trace.stacks.push_back(pcs.size());
    trace.stacks.insert(trace.stacks.end(), pcs);
    return at;
  }

  // The place of the last event.
  Place here() const {
    const Event& e = trace.events.back();
    return {e.thread, e.kind, e.pc, static_cast<std::uint32_t>(trace.events.size())};
  }

  static Problem problem(FindingKind kind, Place place, const std::string& message = "") {
    Problem p;
    p.kind = kind;
    p.place = place;
    std::strncpy(p.message, message.c_str(), sizeof p.message - 1);
    return p;
  }
};

// The classic: two threads read a balance, both write what they computed.
inline TraceBuilder lost_update() {
  TraceBuilder b(3);
  const Address balance = b.variable("balance");
  const std::string file = "/home/me/account.cc";
  const auto create = b.pc("main", file, 30);
  const auto read = b.pc("Account::withdraw(int)", file, 12);
  const auto write = b.pc("Account::withdraw(int)", file, 14);
  b.add(0, EventKind::thread_create, 0, create).other = 1;
  b.add(0, EventKind::thread_create, 0, b.pc("main", file, 31)).other = 2;
  b.valued(1, EventKind::read, balance, read, 100);
  b.valued(2, EventKind::read, balance, read, 100);
  b.interrupted(1);
  Event& w2 = b.valued(2, EventKind::write, balance, write, 90);
  w2.old = 100;
  w2.flags |= kOldKnown;
  b.add(2, EventKind::thread_exit, 0, 0);
  Event& w1 = b.valued(1, EventKind::write, balance, write, 80);
  w1.old = 90;
  w1.flags |= kOldKnown;
  b.add(1, EventKind::thread_exit, 0, 0);
  b.add(0, EventKind::thread_join, 0, b.pc("main", file, 33)).other = 1;
  b.valued(0, EventKind::read, balance, b.pc("main", file, 35), 80);
  b.trace.outcome.failure =
      TraceBuilder::problem(FindingKind::assertion, b.here(), "Assertion `balance == 70' failed.");
  std::strcpy(b.trace.outcome.failure.file, "account.cc");
  b.trace.outcome.failure.line = 35;
  return b;
}

// T1 locks a then b, T2 locks b then a.
inline TraceBuilder lock_cycle() {
  TraceBuilder b(3);
  const Address a = b.variable("a", 40), c = b.variable("b", 40);
  const std::string file = "/home/me/locks.cc";
  b.add(1, EventKind::mutex_lock, a, b.pc("first()", file, 5));
  b.add(2, EventKind::mutex_lock, c, b.pc("second()", file, 10));
  b.interrupted(1);
  b.trace.blocked = {
      {1, 2, EventKind::mutex_lock, false, c, b.pc("first()", file, 6)},
      {2, 1, EventKind::mutex_lock, false, a, b.pc("second()", file, 11)},
      {0, 1, EventKind::thread_join, false, 0, b.pc("main", file, 20)},
  };
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::deadlock, {});
  return b;
}

// T1 signals before T2 waits.
inline TraceBuilder lost_wakeup() {
  TraceBuilder b(3);
  const Address m = b.variable("m", 40), c = b.variable("ready", 48);
  const std::string file = "/home/me/queue.cc";
  b.add(1, EventKind::cond_signal, c, b.pc("produce()", file, 9));
  b.interrupted(2);
  b.add(1, EventKind::thread_exit, 0, 0);
  b.add(2, EventKind::mutex_lock, m, b.pc("consume()", file, 19));
  const auto wait = b.pc("consume()", file, 20);
  b.add(2, EventKind::cond_wait, c, wait);
  b.trace.blocked = {{2, kNoThread, EventKind::cond_wait, false, c, wait}};
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::deadlock, b.here());
  return b;
}

}  // namespace jostle::report
