#ifndef C_CALLGRIND_H
#define C_CALLGRIND_H

#include <stdbool.h>

/// Whether Valgrind's headers were available for the build.
bool callgrind_is_supported(void);

/// Whether this process runs under Valgrind.
bool callgrind_is_running(void);

/// Resets callgrind's count of instructions to zero.
void callgrind_begin(void);

/// Makes callgrind write a file with a name and the instructions since `callgrind_begin`.
void callgrind_end(const char *name);

#endif
