#ifndef CCOMBINEPLATFORM_IDENTIFIERS_H
#define CCOMBINEPLATFORM_IDENTIFIERS_H

#include <stdint.h>

// The number that this thread gives to its next identifier, unless it needs new numbers first. The caller defines when.
//
// Libraries on Windows cannot share a thread-local variable, so there it is accessed by function calls.

#if defined(_WIN32)

uint64_t combine_next_identifier(void);

void combine_set_next_identifier(uint64_t number);

#else

extern _Thread_local uint64_t combine_next_identifier_of_thread;

static inline __attribute__((always_inline)) uint64_t combine_next_identifier(void) {
  return combine_next_identifier_of_thread;
}

static inline __attribute__((always_inline)) void combine_set_next_identifier(uint64_t number) {
  combine_next_identifier_of_thread = number;
}

#endif

#endif
