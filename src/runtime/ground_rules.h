// Ground rules of this folder. Its code runs inside the program under test, on the program's
// stacks, in the middle of the program's calls:
//
//   - no exception leaves it (the user's own pass through pthread_once and pthread_exit);
//   - nothing here calls the interposed malloc; memory comes from base/mapped.h;
//   - no iostream, no locale, no stdio while a controlled thread runs;
//   - errno is the program's: whoever may change it puts it back;
//   - the only global state is engine(), and the thread-local self().
#pragma once
