// What goes through pipes, sockets and event counters orders what was done before it with what is
// done by whoever takes it out.
#pragma once

#include <poll.h>

#include "events/event.h"
#include "runtime/system_model.h"

namespace jostle::descriptors {

// Does a call with this number write to a descriptor, or read from one?
bool writes(long number);
bool reads(long number);
// Does it put something in, or take something out?
bool gives(long number);
bool takes(long number);
// Does it make some? The order in which threads do so decides about their numbers.
bool numbers(long number);
// Is it poll(), or one of its relatives?
bool asks(long number);

// Before the call: a scheduling point, as the operations of a lock have; others may see the effect
// of what is given as soon as the call is made.
void before_call(Thread& t, const SystemCall& call);
// It succeeded.
void after_call(Thread& t, const SystemCall& call);
// Between executions.
void forget();

// Does it lead to nothing outside of this program, as far as it has not given it to others: a pipe,
// a pair of sockets, a connection between two of its own, an event counter?
bool leads_inside(int fd);
// Of a program that this process becomes: the nodes of what leads inside.
struct Nodes {
  static constexpr std::size_t kMost = 1024;
  std::size_t count;
  unsigned long node[kMost];
};
void hand_on(Nodes& to);  // adds them
void adopt(const Nodes& from);
// For reports: the first of those that a thread waits for.
AwaitedDescriptor described(const pollfd* descriptors, unsigned count);

}  // namespace jostle::descriptors
