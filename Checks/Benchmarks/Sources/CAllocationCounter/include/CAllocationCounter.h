#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this platform's allocations are counted, which requires glibc.
bool allocation_counter_is_available(void);

/// The allocations of all threads of this process since counting began.
typedef struct {
  /// The number of allocated blocks.
  int64_t count;

  /// The number of bytes by which the heap's blocks have grown.
  int64_t bytes;
} allocations;

/// Starts counting from zero.
void allocation_counter_start(void);

/// Stops counting and returns the counts.
allocations allocation_counter_stop(void);

/// Calls each counted function a known number of times, releases the memory, and returns that number.
int64_t allocation_counter_allocate_known(void);

#endif
