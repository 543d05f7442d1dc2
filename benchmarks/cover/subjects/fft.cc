// The kernel of a parallel FFT: stages with barriers between them, each thread with its part of the
// points, and a transposition in which everybody reads what others wrote.
#include <pthread.h>

#include <complex>

#include "benchmarks/cover/subject.h"

namespace {

constexpr int kPoints = 8, kThreads = 2;

void fft() {
  using Complex = std::complex<float>;
  static const Complex kRoots[] = {{1, 0}, {0.7071f, -0.7071f}, {0, -1}, {-0.7071f, -0.7071f}};
  Complex x[kPoints], y[kPoints];
  for (int i = 0; i < kPoints; ++i) x[i] = {static_cast<float>(i), 0};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  float checksum = 0;
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  const auto part = [&](int id) {
    const int from = id * kPoints / kThreads, to = (id + 1) * kPoints / kThreads;
    for (int half = kPoints / 2; half >= 1; half /= 2) {
      for (int i = from; i < to; ++i) {
        const int pair = i ^ half;
        const Complex a = x[i], b = x[pair];
        y[i] = i < pair ? a + b : (b - a) * kRoots[(i % half) * (kPoints / 2 / half) % 4];
      }
      pthread_barrier_wait(&barrier);
      for (int i = from; i < to; ++i) x[i] = y[i];
      pthread_barrier_wait(&barrier);
    }
    float sum = 0;
    for (int i = from; i < to; ++i) sum += std::norm(x[(i * 3) % kPoints]);
    pthread_mutex_lock(&mutex);
    checksum += sum;
    pthread_mutex_unlock(&mutex);
  };
  std::thread other([&] { part(1); });
  part(0);
  other.join();
  pthread_barrier_destroy(&barrier);
}

const jostle_bench::CoverSubject kSubject("fft", &fft);

}  // namespace
