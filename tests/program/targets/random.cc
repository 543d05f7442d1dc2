// Prints random numbers from everywhere, and after that what another descriptor of the same number
// as /dev/urandom had has to say.
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cstdio>
#include <random>
#include <thread>

// Not every processor can.
[[gnu::target("rdrnd")]] bool draws(unsigned* out) { return _rdrand32_step(out) != 0; }

int main(int argc, char**) {
  std::thread([] {}).join();
  unsigned system = 0, file = 0;
  if (getrandom(&system, sizeof system, 0) != sizeof system) return 1;
  const int fd = open("/dev/urandom", O_RDONLY);
  if (read(fd, &file, sizeof file) != sizeof file) return 2;
  close(fd);
  int ends[2];
  if (pipe(ends) != 0 || ends[0] != fd || write(ends[1], "pipe", 4) != 4) return 3;
  char text[5] = {};
  if (read(ends[0], text, 4) != 4) return 4;
  std::printf("%u %u %u %llu %s\n", std::random_device()(), system, file, __rdtsc(), text);
  if (argc > 1) return draws(&file) ? 0 : 5;
}
