// Plans from the middle of long runs give the same sequence of events in a fresh process, in
// whatever surroundings.
//
//   replay_plans check COUNT DIRECTORY    the test: long runs here, then COUNT fresh processes
//   replay_plans one FILE                 carries out the plan in FILE, prints what happened
//
// A plan is carried out twice in the fresh process's stead: as it is (strategy and seed), and as
// the departures from the default schedule that were recorded in the long run.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "events/plan.h"
#include "explore/minimize.h"
#include "explore/rounds.h"
#include "explore/session.h"
#include "runtime/engine.h"
#include "strategies/registry.h"
#include "tests/replay/bodies.h"
#include "tests/support/child.h"

using namespace jostle;

namespace {

struct Job {
  char body[32];
  Plan plan;
  Profile profile;
  std::uint32_t deviations;
};

jostle::Body call_of(const jostle_test::Body& b) {
  return {[](void* f) { reinterpret_cast<void (*)()>(f)(); }, reinterpret_cast<void*>(b.call)};
}

Settings settings() { return explore::settings_of(Options{}); }

// What makes two executions the same: no address, nothing of this process. The signature is left
// out: it contains the places of operations in libraries, which are loaded elsewhere each time.
std::string describe(const Trace& t) {
  std::ostringstream out;
  const Outcome& o = t.outcome;
  out << "steps " << o.steps << " decisions " << o.decisions << " threads " << o.threads
      << " switches " << o.switches << " failure " << name_of(o.failure.kind);
  if (o.failure.kind != FindingKind::none) out << ' ' << o.failure.message;
  out << '\n';
  for (const Event& e : t.events) {
    // How often a program allocates may depend on its environment: see bodies.cc.
    if (e.kind == EventKind::alloc || e.kind == EventKind::free) continue;
    out << 'T' << e.thread << ' ' << name_of(e.kind) << " +" << std::hex
        << (e.pc ? e.pc - image_base() : 0) << std::dec << " size " << e.size << " flags "
        << static_cast<int>(e.flags & (kFailed | kTimedOut | kSpurious | kRelock)) << " decision "
        << e.decision << " other " << e.other << '\n';
  }
  for (const Decision& d : t.decisions)
    out << "options " << d.options << " chosen " << d.chosen << " standard " << d.standard
        << " running " << d.running << '\n';
  return out.str();
}

// Events in libraries have other offsets from our image in each process.
std::string without_libraries(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(" +");
    if (at != std::string::npos && line[0] == 'T') {
      const std::uint64_t offset = std::strtoull(line.c_str() + at + 2, nullptr, 16);
      if (offset > (1ull << 32))
        line = line.substr(0, at) + " +library" + line.substr(line.find(" size"));
    }
    out += line + '\n';
  }
  return out;
}

Recorder& recorder() {
  static Recorder& r = *new Recorder;
  return r;
}

Trace carry_out(const Job& job, Strategy& strategy) {
  Engine& e = engine();
  recorder().clear();
  e.execute(job.plan, job.profile, strategy, call_of(*jostle_test::find_body(job.body)),
            &recorder());
  return recorder().trace();
}

int one(const char* path) {
  std::ifstream in(path, std::ios::binary);
  auto job = std::make_unique<Job>();
  in.read(reinterpret_cast<char*>(job.get()), sizeof *job);
  std::vector<Deviation> deviations(job->deviations);
  in.read(reinterpret_cast<char*>(deviations.data()),
          static_cast<std::streamsize>(deviations.size() * sizeof(Deviation)));
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path);
    return 2;
  }
  Engine& e = engine();
  e.configure(settings(), false);
  if (job->plan.strategy == kReplayStrategy)
    explore::replay_strategy().follow(deviations.data(), deviations.size());
  const Trace t = carry_out(*job, explore::strategy_for(job->plan));
  std::fputs(without_libraries(describe(t)).c_str(), stdout);
  if (job->plan.strategy == kReplayStrategy && explore::replay_strategy().diverged())
    std::puts("DIVERGED");
  return 0;
}

void save(const std::string& path, const Job& job, const std::vector<Deviation>& deviations) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&job), sizeof job);
  out.write(reinterpret_cast<const char*>(deviations.data()),
            static_cast<std::streamsize>(deviations.size() * sizeof(Deviation)));
}

std::string self() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return {path, static_cast<std::size_t>(n > 0 ? n : 0)};
}

// Surroundings number i: other environment sizes, directories, argument lengths.
jostle_test::Child in_surroundings(int i, const std::string& file) {
  std::vector<std::string> argv = {self(), "one", file};
  for (int k = 0; k < i % 5; ++k)
    argv.push_back(std::string(static_cast<std::size_t>(i * 37 % 900), 'a'));
  std::vector<std::string> environment = {
      "JOSTLE_TEST_PADDING=" + std::string(static_cast<std::size_t>(i * 131 % 20000), 'e')};
  for (int k = 0; k < i % 17; ++k)
    environment.push_back("PADDING_" + std::to_string(k) + "=" + std::to_string(i));
  const char* directories[] = {"/", "/tmp", "/usr", "/proc/self"};
  return jostle_test::run_child(argv, environment, directories[i % 4]);
}

int check(int count, const std::string& directory) {
  Engine& e = engine();
  e.configure(settings(), false);
  constexpr int kLength = 2000;  // executions between two samples' long runs
  std::vector<const StrategyEntry*> entries;
  for (const StrategyEntry& s : strategies())
    if (s.name != "dfs" && s.name != "delay") entries.push_back(&s);
  const std::string file = directory + "/plan-" + std::to_string(getpid());
  int different = 0;
  std::uint64_t index = 0;
  auto job = std::make_unique<Job>();
  for (int i = 0; i < count; ++i) {
    const jostle_test::Body& body = jostle_test::kBodies[i % jostle_test::kBodyCount];
    const std::size_t which =
        static_cast<std::size_t>(i / jostle_test::kBodyCount) % entries.size();
    const auto number = static_cast<std::uint16_t>(entries[which] - strategies().data());
    // A long run, with a measured profile from its beginning as in a real search.
    Plan plan;
    plan.strategy = number;
    plan.depth = 3;
    Profile profile;
    const int length = count > 1000 ? 50 : kLength / 10 + i;
    for (int n = 0; n < length; ++n) {
      plan.index = ++index;
      plan.seed = mix64(index * 977);
      e.scheduler().measure(n == 0);
      const Outcome& o =
          e.execute(plan, profile, entries[which]->instance(), call_of(body), nullptr);
      if (n == 0) {
        profile = e.scheduler().measured();
        plan.length = o.decisions + o.decisions / 5 + 2;
        e.scheduler().measure(false);
      }
      e.races().forget_found();
    }
    // The next execution is the sample: here, unrecorded first.
    std::memset(static_cast<void*>(job.get()), 0, sizeof *job);
    std::snprintf(job->body, sizeof job->body, "%s", body.name);
    plan.index = ++index;
    plan.seed = mix64(index * 977);
    job->plan = plan;
    job->profile = profile;
    const Outcome plain =
        e.execute(plan, profile, entries[which]->instance(), call_of(body), nullptr);
    e.races().forget_found();
    const Trace recorded = carry_out(*job, entries[which]->instance());
    e.races().forget_found();
    const std::string expected = without_libraries(describe(recorded));
    std::string complaint;
    if (plain.signature != recorded.outcome.signature) complaint = "recording changes the schedule";
    save(file, *job, {});
    const auto by_plan = in_surroundings(i, file);
    if (complaint.empty() && by_plan.output != expected)
      complaint = "the plan gives other events in a fresh process";
    const std::vector<Deviation> deviations = explore::deviations_of(recorded);
    job->plan = {};
    job->plan.strategy = kReplayStrategy;
    job->deviations = static_cast<std::uint32_t>(deviations.size());
    save(file, *job, deviations);
    const auto by_steps = in_surroundings(i + 7, file);
    if (complaint.empty() && by_steps.output != expected)
      complaint = "the departures give other events in a fresh process";
    if (!complaint.empty()) {
      ++different;
      std::printf("%s: body %s, strategy %s, sample %d\n", complaint.c_str(), body.name,
                  std::string(entries[which]->name).c_str(), i);
      if (different <= 3) {
        const std::string base = directory + "/different-" + std::to_string(i);
        std::ofstream(base + ".expected") << expected;
        std::ofstream(base + ".plan") << by_plan.output;
        std::ofstream(base + ".steps") << by_steps.output;
        std::printf("  see %s.*\n", base.c_str());
      }
    }
  }
  unlink(file.c_str());
  std::printf("%d of %d identical\n", count - different, count);
  return different == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3 && std::strcmp(argv[1], "one") == 0) return one(argv[2]);
  if (argc == 4 && std::strcmp(argv[1], "check") == 0) return check(std::atoi(argv[2]), argv[3]);
  std::fprintf(stderr, "usage: replay_plans check COUNT DIRECTORY\n");
  return 2;
}
