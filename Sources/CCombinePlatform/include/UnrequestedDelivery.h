#ifndef CCOMBINEPLATFORM_UNREQUESTEDDELIVERY_H
#define CCOMBINEPLATFORM_UNREQUESTEDDELIVERY_H

#include <stdint.h>

// The kind of delivery without demand that this thread is making: 0 means none. The caller defines the other values.
//
// Libraries on Windows cannot share a thread-local variable, so there it is accessed by function calls.

#if defined(_WIN32)

uint8_t combine_unrequested_delivery(void);

void combine_set_unrequested_delivery(uint8_t kind);

#else

extern _Thread_local uint8_t combine_unrequested_delivery_of_thread;

static inline __attribute__((always_inline)) uint8_t combine_unrequested_delivery(void) {
  return combine_unrequested_delivery_of_thread;
}

static inline __attribute__((always_inline)) void combine_set_unrequested_delivery(uint8_t kind) {
  combine_unrequested_delivery_of_thread = kind;
}

#endif

#endif
