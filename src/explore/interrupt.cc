#include "explore/interrupt.h"

#include <csignal>

#include "runtime/signals.h"

namespace jostle::explore {
namespace {

volatile std::sig_atomic_t g_signal = 0;
constexpr int kSignals[] = {SIGINT, SIGTERM};
struct sigaction g_before[2];
bool g_taken[2];

void on_signal(int number) {
  g_signal = number;
  end_execution_soon();
}

}  // namespace

bool interrupted() { return g_signal != 0; }
int Interruptible::signal() const { return g_signal; }

Interruptible::Interruptible() {
  g_signal = 0;
  for (int i = 0; i < 2; ++i) {
    sigaction(kSignals[i], nullptr, &g_before[i]);
    g_taken[i] = g_before[i].sa_handler == SIG_DFL;
    if (!g_taken[i]) continue;
    struct sigaction sa = {};
    sa.sa_handler = &on_signal;
    sa.sa_flags = SA_RESTART;
    sigaction(kSignals[i], &sa, nullptr);
  }
}

Interruptible::~Interruptible() {
  for (int i = 0; i < 2; ++i) {
    if (!g_taken[i]) continue;
    // Who was told twice still gets to report.
    if (g_signal == kSignals[i])
      std::signal(kSignals[i], SIG_IGN);
    else
      sigaction(kSignals[i], &g_before[i], nullptr);
  }
}

}  // namespace jostle::explore
