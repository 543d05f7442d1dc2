// Loaded in the middle of an execution; see thread_local_test.cc.
namespace {
thread_local int t_count = 40;
}
extern "C" int next_of_this_thread() { return ++t_count; }
