// Functions that start another program. Their child borrows our memory until it has become one:
// that happens without the trap, which would not find the way back.
#include <spawn.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/family.h"
#include "runtime/instructions.h"
#include "runtime/interpose/interpose.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"

using namespace jostle;

namespace {

class Untrapped {
 public:
  explicit Untrapped(std::uint64_t pc) : thread_(self()) {
    real::ready();
    if (!thread_) return;
    g_engine->uncontrolled("child process: it runs without control", pc);
    snapshot::not_restorable("it starts processes");
    family::free_process();
    thread_->in_runtime = true;
    g_engine->pause_trap();
    leave_instructions();
  }
  Untrapped(const Untrapped&) = delete;
  Untrapped& operator=(const Untrapped&) = delete;
  ~Untrapped() {
    if (!thread_) return;
    if (start_carrier()) control_instructions();
    g_engine->resume_trap();
    thread_->in_runtime = false;
  }

 private:
  Thread* thread_;
};

}  // namespace

JOSTLE_EXPORT int posix_spawn(pid_t* pid, const char* path,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* argv,
                              char* const* envp) {
  const Untrapped here(JOSTLE_CALLER);
  return real::posix_spawn(pid, path, actions, attributes, argv, envp);
}
JOSTLE_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                               const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* argv,
                               char* const* envp) {
  const Untrapped here(JOSTLE_CALLER);
  return real::posix_spawnp(pid, file, actions, attributes, argv, envp);
}
JOSTLE_EXPORT int system(const char* command) {
  const Untrapped here(JOSTLE_CALLER);
  return real::system(command);
}
JOSTLE_EXPORT FILE* popen(const char* command, const char* mode) {
  const Untrapped here(JOSTLE_CALLER);
  return real::popen(command, mode);
}
// Its child would return through frames of ours that its parent still needs.
JOSTLE_EXPORT pid_t vfork() noexcept { return fork(); }
