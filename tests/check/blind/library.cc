// The same as a shared library.
int g_library_total = 0;
void add_library(int n) { g_library_total += n; }
