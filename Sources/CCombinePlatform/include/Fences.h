#ifndef CCOMBINEPLATFORM_FENCES_H
#define CCOMBINEPLATFORM_FENCES_H

// An asymmetric fence. The light half is for the frequent path and only prevents reordering by the compiler. The heavy
// half is for the rare path and makes every other thread of the process execute a full fence. Where the system lacks that,
// both halves are full fences of their own thread.

#include <stdint.h>

#if defined(__linux__)
  #include <linux/membarrier.h>
  #include <sys/syscall.h>
  #include <unistd.h>
#elif defined(_WIN32)
  #define WIN32_LEAN_AND_MEAN
  #include <windows.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the system has the heavy fence.
enum {
  /// Not asked so far. Both halves are full fences, which is always right.
  COMBINE_FENCE_UNKNOWN = 0,
  COMBINE_FENCE_HEAVY = 1,
  COMBINE_FENCE_LACKING = 2,
};

extern uint8_t combine_fence_state;

static inline __attribute__((always_inline)) uint8_t combine_fence_is(uint8_t state) {
  return __atomic_load_n(&combine_fence_state, __ATOMIC_RELAXED) == state;
}

static inline uint8_t combine_fence_is_heavy(void) { return combine_fence_is(COMBINE_FENCE_HEAVY); }

/// Asks the system. While the process has one thread that takes a microsecond. Later it waits for all processors, which
/// takes milliseconds.
void combine_fence_ask(void);

/// Asks the system, unless it was asked. It is called for everything that has a fence, when that is made: a program that
/// makes nothing asks for nothing, and the first cancel need not wait.
static inline __attribute__((always_inline)) void combine_fence_prepare(void) {
  if (__builtin_expect(combine_fence_is(COMBINE_FENCE_UNKNOWN), 0)) combine_fence_ask();
}

/// Prevents the compiler from moving loads and stores across the call. It compiles to no instruction.
static inline __attribute__((always_inline)) void combine_fence_compiler(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/// The light half.
static inline __attribute__((always_inline)) void combine_fence_light(void) {
  if (__builtin_expect(combine_fence_is(COMBINE_FENCE_HEAVY), 1)) {
    combine_fence_compiler();
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

/// The heavy half. A thread that is not running has already executed a fence.
static inline void combine_fence_heavy(void) {
  combine_fence_prepare();
  if (!combine_fence_is_heavy()) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return;
  }
#if defined(__linux__) && defined(SYS_membarrier)
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
#elif defined(_WIN32)
  FlushProcessWriteBuffers();
#endif
}

#ifdef __cplusplus
}
#endif

#endif
