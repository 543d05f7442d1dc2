// A read-write lock that prefers writers, and a reader that locks it twice.
#include <condition_variable>
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::nspr_rwlock {

using namespace jostle::scripting;

struct RWLock {
  std::mutex mutex;
  std::condition_variable changed;
  int readers = 0, waiting_writers = 0;
  bool writing = false;
};

NOINLINE void PR_RWLock_Rlock(RWLock& l) {
  std::unique_lock lock(l.mutex);
  while (l.writing || l.waiting_writers > 0) l.changed.wait(lock);
  ++l.readers;
}

NOINLINE void PR_RWLock_Wlock(RWLock& l) {
  std::unique_lock lock(l.mutex);
  ++l.waiting_writers;
  while (l.writing || l.readers > 0) l.changed.wait(lock);
  --l.waiting_writers;
  l.writing = true;
}

NOINLINE void PR_RWLock_Unlock(RWLock& l) {
  const std::lock_guard lock(l.mutex);
  if (l.writing)
    l.writing = false;
  else
    --l.readers;
  l.changed.notify_all();
}

NOINLINE void reader_main(RWLock& l) {
  PR_RWLock_Rlock(l);
  PR_RWLock_Rlock(l);
  PR_RWLock_Unlock(l);
  PR_RWLock_Unlock(l);
}

NOINLINE void writer_main(RWLock& l) {
  PR_RWLock_Wlock(l);
  PR_RWLock_Unlock(l);
}

void body() {
  RWLock l;
  on_threads([&] { reader_main(l); }, [&] { writer_main(l); });
}

SCRIPT(sequences) {
  search_sequences(2, enters("reader_main") || enters("writer_main"),
                   {"PR_RWLock_Rlock", "PR_RWLock_Wlock", "PR_RWLock_Unlock"});
}
END_SCRIPT(sequences)

SCRIPT(exact) {
  const Tid r = wait_for_thread(any, enters("reader_main"));
  const Tid w = wait_for_thread(any - r, enters("writer_main"));
  run_until(r, returns("PR_RWLock_Rlock"));
  run_until(w, waits);
  release(w);
  run_until(r, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"nspr-rwlock",
                             "a reader that locks twice, with a writer in between",
                             "deadlock",
                             &body,
                             {{"SearchSeqFuncs", 5, 0, sequences_lines, 2, &sequences},
                              {"ExactSchedule", 3, 0, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::nspr_rwlock
