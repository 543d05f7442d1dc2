// Two counters sell tickets for the same show. There is one seat left.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int seats = 1, sold = 0;

static bool seat_left() {
  std::lock_guard lock(mutex);
  return seats > 0;
}

static void sell() {
  std::lock_guard lock(mutex);
  --seats;
  ++sold;
}

static void counter() {
  if (seat_left()) sell();
}

int main() {
  std::thread north(counter), south(counter);
  north.join();
  south.join();
  std::printf("%d sold, %d left\n", sold, seats);
  return seats < 0 ? 1 : 0;
}
