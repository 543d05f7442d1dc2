// Compiled without hooks: nobody sees what it does to memory.
int g_plain_total = 0;
void add_plain(int n) { g_plain_total += n; }
