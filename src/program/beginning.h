// What a program has made before its executions start.
#pragma once

namespace jostle::program {

// Memory, pipes or the like, that processes forked from this one would share: executions would
// leave them changed for the next.
bool shared_from_the_beginning();
// Descriptors that it did not have when it was started.
void close_since_the_beginning();

}  // namespace jostle::program
