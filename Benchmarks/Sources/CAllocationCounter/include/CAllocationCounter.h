#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this platform's allocations are counted: those of glibc are.
bool allocation_counter_is_available(void);

/// What all threads of this process did since counting began.
typedef struct {
  /// How many blocks were allocated.
  int64_t count;

  /// How many bytes the heap's blocks take more than before.
  int64_t bytes;
} allocations;

/// Begins to count, from zero.
void allocation_counter_start(void);

/// Stops counting and returns what was counted.
allocations allocation_counter_stop(void);

/// Calls each counted function a known number of times, releases what it got, and returns that number.
int64_t allocation_counter_allocate_known(void);

#endif
