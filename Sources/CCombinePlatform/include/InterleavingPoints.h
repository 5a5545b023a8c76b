#ifndef CCOMBINEPLATFORM_INTERLEAVINGPOINTS_H
#define CCOMBINEPLATFORM_INTERLEAVINGPOINTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether a test is called at the points between the steps of threads. A debug build asks many times for each value, so
// it is one load. A static variable of Swift would be a call, and a check whether it has its value.

extern uint8_t combine_watches_points;

static inline __attribute__((always_inline)) uint8_t combine_points_are_watched(void) {
  return __atomic_load_n(&combine_watches_points, __ATOMIC_ACQUIRE);
}

static inline void combine_watch_points(void) { __atomic_store_n(&combine_watches_points, 1, __ATOMIC_RELEASE); }

#ifdef __cplusplus
}
#endif

#endif
