#ifndef CCOMBINEPLATFORM_H
#define CCOMBINEPLATFORM_H

#include <stdint.h>

#include "Fences.h"
#include "InterleavingPoints.h"
#include "Parking.h"
#include "ThreadVariables.h"

#if !defined(_WIN32)

  #include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a nonzero number that differs from the number of every other live thread.
///
/// A sink calls this for each value. Where the ABI keeps the address of a thread's control block in a register, reading
/// it takes one instruction. `pthread_self()` is a call into a library. WebAssembly may have no threads, and then no such
/// function: the address of a thread's variable is right with and without them.
static inline __attribute__((always_inline)) uintptr_t combine_current_thread(void) {
  #if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  return (uintptr_t)__builtin_thread_pointer();
  #elif defined(__wasi__)
  return (uintptr_t)&combine_current_delivery_of_thread;
  #else
  return (uintptr_t)pthread_self();
  #endif
}

#ifdef __cplusplus
}
#endif

#endif

#endif
