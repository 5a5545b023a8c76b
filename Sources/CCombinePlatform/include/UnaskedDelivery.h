#ifndef CCOMBINEPLATFORM_UNASKEDDELIVERY_H
#define CCOMBINEPLATFORM_UNASKEDDELIVERY_H

#include <stdint.h>

// What the thread delivers beyond the demand at this moment: 0 for nothing; the rest is the caller's to define.
//
// Windows cannot share a thread-local variable between libraries, so there it is reached by calls.

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
