// The ways in which a program ends, and what it prints on the way.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void handler(void) { printf("handler\n"); }
static void with_status(int status, void* text) { printf("%s %d\n", (const char*)text, status); }
static void again(void) { exit(0); }
__attribute__((destructor)) static void destructor(void) { printf("destructor\n"); }

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  static char buffer[10];
  atexit(handler);
  on_exit(with_status, "status");
  if (!strcmp(way, "exit-in-a-handler")) atexit(again);
  if (!strcmp(way, "wide")) {
    FILE* f = fopen("/dev/null", "w");
    if (f) fwprintf(f, L"wide\n");
  }
  if (!strcmp(way, "without-buffer")) setvbuf(stdout, NULL, _IONBF, 0);
  if (!strcmp(way, "own-buffer")) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  printf("main, in more than ten characters\n");
  if (!strcmp(way, "closed")) fclose(stdout);
  if (!strcmp(way, "exit")) exit(3);
  return 0;
}
