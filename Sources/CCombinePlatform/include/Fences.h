#ifndef CCOMBINEPLATFORM_FENCES_H
#define CCOMBINEPLATFORM_FENCES_H

// An asymmetric fence. The light half is for the frequent path and only prevents reordering by the compiler. The heavy
// half is for the rare path and makes every other thread of the process execute a full fence.

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

/// Prevents the compiler from moving loads and stores across the call. It compiles to no instruction.
static inline __attribute__((always_inline)) void combine_fence_light(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/// Whether the system supports the heavy fence. The process was registered for it when the library was loaded.
int combine_fence_is_registered(void);

/// Makes each running thread of the process execute a full fence. A thread that is not running has already executed
/// one.
static inline void combine_fence_heavy(void) {
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
