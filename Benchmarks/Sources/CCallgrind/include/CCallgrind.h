#ifndef C_CALLGRIND_H
#define C_CALLGRIND_H

#include <stdbool.h>

/// Whether this was built where Valgrind's headers are.
bool callgrind_is_supported(void);

/// Whether this process runs under Valgrind.
bool callgrind_is_running(void);

/// Sets callgrind's count of instructions to zero.
void callgrind_begin(void);

/// Makes callgrind write a file with the instructions since `callgrind_begin`, and with a name in it.
void callgrind_end(const char *name);

#endif
