// Starts processes so that they end when they should, whatever happens.
//
// Between the driver and each process that it starts stands a warden, forked from the driver: the
// parent of the process, and of whatever that leaves behind (daemons, too). The warden kills all of
// them when it is told to, or when the driver has died, and ends with them.
#pragma once

#include <sys/types.h>

#include <functional>

#include "events/board.h"

namespace jostle::scripts {

// `child` is called in the new process and must not return; its end is written to `start`. Gives
// the warden, or -1.
pid_t start_guarded(Board& board, Board::Start& start, const std::function<void()>& child);
// Ends all that the warden guards; when this returns, nothing of it is left.
void end_guarded(pid_t warden);

// For all who tell the driver something.
void raise_news(Board& board);

}  // namespace jostle::scripts
