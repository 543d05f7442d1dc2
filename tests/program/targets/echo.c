// Prints what reaches it: arguments, environment, standard input, its directory.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

static void* nothing(void* unused) { return unused; }

int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  if (argc > 1 && strcmp(argv[1], "cd") == 0 && chdir("/") != 0) return 98;
  for (int i = 1; i < argc; ++i) printf("argument '%s'\n", argv[i]);
  // What Jostle has put there must not be seen, by the program's children neither.
  for (char** e = environ; *e; ++e)
    if (strncmp(*e, "JOSTLE_", 7) == 0 || strncmp(*e, "LD_PRELOAD=", 11) == 0 ||
        strncmp(*e, "ECHO_", 5) == 0)
      printf("variable %s\n", *e);
  if (getenv("ECHO_CHILD")) {
    fflush(stdout);
    if (system("env | grep -E '^(JOSTLE_|LD_PRELOAD=)' | sed 's/^/child: /'") != 0) return 97;
  }
  char line[100];
  while (fgets(line, sizeof line, stdin)) printf("input %s", line);
  printf("input ends%s\n", ferror(stdin) ? " with an error" : "");
  return 0;
}
