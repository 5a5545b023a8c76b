#include "CCallgrind.h"

#if __has_include(<valgrind/callgrind.h>)

#include <valgrind/callgrind.h>

bool callgrind_is_supported(void) { return true; }

bool callgrind_is_running(void) { return RUNNING_ON_VALGRIND != 0; }

void callgrind_begin(void) { CALLGRIND_ZERO_STATS; }

void callgrind_end(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }

#else

bool callgrind_is_supported(void) { return false; }

bool callgrind_is_running(void) { return false; }

void callgrind_begin(void) {}

void callgrind_end(const char *name) { (void)name; }

#endif
