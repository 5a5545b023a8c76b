#ifndef CCOMBINEPLATFORM_THREADVARIABLES_H
#define CCOMBINEPLATFORM_THREADVARIABLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Variables of a thread. Each is read by a function of its name, and set by one whose name has `set` in front.
//
// Libraries on Windows cannot share a thread-local variable, so there the functions are in the library.

#if defined(_WIN32)

  #define COMBINE_THREAD_VARIABLE(type, name) \
    type combine_##name(void); \
    void combine_set_##name(type value)

#else

  #define COMBINE_THREAD_VARIABLE(type, name) \
    extern __thread type combine_##name##_of_thread; \
    static inline __attribute__((always_inline)) type combine_##name(void) { return combine_##name##_of_thread; } \
    static inline __attribute__((always_inline)) void combine_set_##name(type value) { \
      combine_##name##_of_thread = value; \
    } \
    extern __thread type combine_##name##_of_thread

#endif

/// What this thread is delivering inside: the address of a gate, or of a sink's request; null for nothing.
COMBINE_THREAD_VARIABLE(const void *, current_delivery);

/// The kind of delivery without demand that this thread is making: 0 means none. The caller defines the other values.
COMBINE_THREAD_VARIABLE(uint8_t, unrequested_delivery);

/// The receipt of the element that this thread is delivering, an object of the caller; null for none.
COMBINE_THREAD_VARIABLE(const void *, delivery_receipt);

/// The number that this thread gives to its next identifier, unless it needs new numbers first. The caller defines when.
COMBINE_THREAD_VARIABLE(uint64_t, next_identifier);

/// The actions that wait for the one that this thread runs, an object of the caller; null if it runs none.
COMBINE_THREAD_VARIABLE(const void *, waiting_actions);

#ifdef __cplusplus
}
#endif

#endif
