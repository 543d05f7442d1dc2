// The search over the program that this process is.
#pragma once

namespace jostle::program {

// Has `jostle run` started this process?
bool requested();
// The program was started by one that is executed under `jostle run --children controlled`.
bool in_family();
// Then, as the host of start_executions_here().
void take_part();
// A program whose constructors start threads is executed with its constructors: if there are
// threads before main(), the process starts anew, and then starts_early() says so.
void start_earlier_if_needed(char** argv);
bool starts_early();
// Takes the options out of the environment; the program sees it as the user set it.
void take_request(char** argv);
// Executions start at jostle_ready(), or at a function, before which `begin` is then called.
bool starts_later(void (*begin)());
// The program has ended without reaching the place where executions start. Does not return.
[[noreturn]] void never_started();
// Searches; gives the exit code.
int direct();

}  // namespace jostle::program
