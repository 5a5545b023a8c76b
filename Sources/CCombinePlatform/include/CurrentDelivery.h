#ifndef CCOMBINEPLATFORM_CURRENTDELIVERY_H
#define CCOMBINEPLATFORM_CURRENTDELIVERY_H

// What this thread is delivering inside: the address of a gate, or of a sink's request; null for nothing.
//
// Libraries on Windows cannot share a thread-local variable, so there it is accessed by function calls.

#if defined(_WIN32)

const void *combine_current_delivery(void);

void combine_set_current_delivery(const void *delivery);

#else

extern _Thread_local const void *combine_current_delivery_of_thread;

static inline __attribute__((always_inline)) const void *combine_current_delivery(void) {
  return combine_current_delivery_of_thread;
}

static inline __attribute__((always_inline)) void combine_set_current_delivery(const void *delivery) {
  combine_current_delivery_of_thread = delivery;
}

#endif

#endif
