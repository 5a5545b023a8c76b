#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this platform's allocations are counted: those of glibc are.
bool allocation_counter_is_available(void);

/// Begins to count, from zero, the allocations of all threads of this process.
void allocation_counter_start(void);

/// Stops counting and returns how many allocations there were since the start.
int64_t allocation_counter_stop(void);

/// Calls each counted function a known number of times, releases what it got, and returns that number.
int64_t allocation_counter_allocate_known(void);

#endif
