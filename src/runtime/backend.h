// The two ways of carrying controlled threads.
#pragma once

#include "runtime/carrier.h"
#include "sched/scheduler.h"

namespace jostle {

// Continues the first thread of an execution and returns when the execution is over. Every
// carrier is then parked, wherever its thread was.
struct Carriage {
  Backend backend;
  void (*prepare)(Thread& t, Carrier& c, void (*entry)());
  void (*run)(Thread& first);
  void (*settle)(CarrierPool& pool);  // after run(): threads that did not end give up
};

const Carriage& fiber_carriage();
const Carriage& kernel_thread_carriage();

// Helpers of both.
std::size_t capture_stack(std::uint64_t pc, std::uint64_t* pcs, std::size_t room);
std::size_t known_stack(const Thread& t, std::uint64_t pc, std::uint64_t* pcs, std::size_t room);
bool frame_of(Address a, StackFrame& out);
void watch_writes(bool on);
std::uint64_t thread_state(Thread& t, std::uint64_t pc, std::uint64_t& place);

inline Carrier& carrier_of(const Thread& t) { return *static_cast<Carrier*>(t.carrier); }

}  // namespace jostle
