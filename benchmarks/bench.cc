#include "benchmarks/bench.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "explore/keeper.h"
#include "explore/session.h"

namespace jostle_bench {

static double seconds_of(clockid_t clock) {
  timespec ts;
  clock_gettime(clock, &ts);
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
}
double seconds() { return seconds_of(CLOCK_MONOTONIC); }
double cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double in_child(const std::function<double()>& f) {
  double* result = shared_array<double>(1);
  *result = std::nan("");
  const pid_t p = jostle::explore::fork_helper();
  if (p == 0) {
    *result = f();
    std::fflush(nullptr);
    _exit(0);
  }
  int status;
  waitpid(p, &status, 0);
  const double r = *result;
  munmap(result, sizeof *result);
  return r;
}

int in_children(int count, const std::function<void(int)>& f) {
  const int most = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  int started = 0, running = 0, died = 0;
  while (started < count || running > 0) {
    if (started < count && running < most) {
      if (jostle::explore::fork_helper() == 0) {
        f(started);
        _exit(0);
      }
      ++started, ++running;
      continue;
    }
    int status = 0;
    wait(&status);
    --running;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++died;
  }
  return died;
}

void pin_to_one_core() {
  cpu_set_t now, one;
  sched_getaffinity(0, sizeof now, &now);
  for (int i = CPU_SETSIZE - 1; i >= 0; --i) {  // the last: the first serves most interrupts
    if (!CPU_ISSET(i, &now)) continue;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

void silence() {
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, 1);
  dup2(null, 2);
}

double median(std::vector<double> v) {
  if (v.empty()) return std::nan("");
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

void Table::print() const {
  std::vector<std::size_t> width;
  for (const auto& r : rows_)
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (i == width.size()) width.push_back(3);
      width[i] = std::max(width[i], r[i].size());
    }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t i = 0; i < width.size(); ++i) {
      const std::string& cell = i < rows_[r].size() ? rows_[r][i] : std::string();
      std::printf(i == 0 ? "| %-*s |" : " %*s |", static_cast<int>(width[i]), cell.c_str());
    }
    std::printf("\n");
    if (r > 0) continue;
    for (std::size_t i = 0; i < width.size(); ++i)
      std::printf(i == 0 ? "|%s|" : "%s|", i == 0 ? std::string(width[i] + 2, '-').c_str()
                                                  : (std::string(width[i] + 1, '-') + ":").c_str());
    std::printf("\n");
  }
  std::printf("\n");
  std::fflush(stdout);
}

std::string number(double v, int digits) {
  if (std::isnan(v)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, v);
  std::string out;
  const std::size_t point = std::strcspn(text, ".");
  for (std::size_t i = 0; text[i]; ++i) {
    const bool inner = i > 0 && i < point && text[i - 1] != '-';
    if (inner && (point - i) % 3 == 0) out += ' ';
    out += text[i];
  }
  return out;
}

std::string target(double v, double limit, const char* unit) {
  if (std::isnan(v)) return "-";
  std::string s = "<= " + number(limit, limit < 2 ? 1 : 0);
  if (*unit) s += std::string(" ") + unit;
  return s + (v <= limit ? ": met" : ": missed");
}

Controlled::Controlled(bool kernel_threads) : engine_(jostle::engine()) {
  engine_.configure(jostle::explore::settings_of({}), kernel_threads);
}

const jostle::Outcome& Controlled::execute(jostle::Strategy& strategy, void (*body)(void*),
                                           void* context) {
  static const jostle::Profile kNoProfile;
  jostle::Plan plan;
  plan.index = executions_++;
  plan.seed = jostle::mix64(plan.index);
  plan.length = 20;
  plan.stickiness = 1;
  return engine_.execute(plan, kNoProfile, strategy, {body, context}, nullptr);
}

jostle::ThreadId Alternate::pick(const jostle::View& v) {
  const jostle::ThreadSet& e = v.enabled();
  for (std::uint32_t t = v.running + 1u; t < v.count; ++t)
    if (e.has(static_cast<jostle::ThreadId>(t))) return static_cast<jostle::ThreadId>(t);
  return e.first();
}

}  // namespace jostle_bench
