#include "explore/framework.h"

#include <cstdio>
#include <cstdlib>

#include "runtime/attached.h"
#include "runtime/creation.h"
#include "runtime/engine.h"
#include "runtime/self.h"
#include "sched/model/model.h"

namespace jostle {
namespace {

Framework& framework() {
  static Framework f{};
  return f;
}

}  // namespace

void register_framework(const Framework& f) { framework() = f; }

bool is_controlled() { return t_self != nullptr; }

void report_failure(const char* file, unsigned line, const char* message) {
  Thread* t = t_self;
  if (!t && creation::runs_free()) {
    std::fprintf(stderr, "%s:%u: %s\n", file, line, message);
    creation::end_free_process(1);
  }
  if (!t) return;
  t->in_runtime = true;
  engine().fail(*t, FindingKind::assertion, JOSTLE_CALLER, file, line, message);
}

void report_skip() {
  Thread* t = t_self;
  engine().skip(*t);
}

namespace explore {

std::string framework_test_name() {
  return framework().test_name ? framework().test_name() : std::string();
}
std::string framework_argument(const std::string& test) {
  if (test.empty() || !framework().rerun_argument) return "";
  return framework().rerun_argument(test.substr(0, test.find('#')));
}
FrameworkSession::FrameworkSession() {
  if (framework().begin) token_ = framework().begin();
}
FrameworkSession::~FrameworkSession() {
  if (framework().begin) framework().end(token_);
}

}  // namespace explore
}  // namespace jostle

extern "C" {

void jostle_assert_failed(const char* condition, const char* file, unsigned line) {
  char message[400];
  std::snprintf(message, sizeof message, "assertion `%s` failed", condition);
  if (jostle::Thread* t = jostle::t_self)
    jostle::engine().fail(*t, jostle::FindingKind::assertion, JOSTLE_CALLER, file, line, message);
  jostle::attached::failed(static_cast<int>(jostle::FindingKind::assertion), message, file, line);
  std::fprintf(stderr, "%s:%u: %s\n", file, line, message);
  std::abort();
}

void jostle_point(void) {
  if (jostle::Thread* t = jostle::self())
    jostle::model::control_point(*t->scheduler, *t, JOSTLE_CALLER);
}

// Whether a script runs is not for the macro to ask: the program's code must do the same with and
// without one, or what it finds could not be replayed.
void jostle_control_point(const char* text) {
  jostle::Thread* t = jostle::self();
  if (t == nullptr)
    return jostle::attached::event(jostle::EventKind::control,
                                   reinterpret_cast<jostle::Address>(text), JOSTLE_CALLER);
  if (t->scheduler->gate())
    t->scheduler->gate_point(*t, jostle::EventKind::control,
                             reinterpret_cast<jostle::Address>(text), JOSTLE_CALLER);
}

int jostle_is_controlled(void) { return jostle::t_self != nullptr; }

void jostle_seal_begin(void) {
  if (jostle::t_self) ++jostle::t_self->sealed;
}
void jostle_seal_end(void) {
  if (jostle::t_self && jostle::t_self->sealed > 0) --jostle::t_self->sealed;
}

}  // extern "C"
