#ifndef CCOMBINEPLATFORM_FENCES_H
#define CCOMBINEPLATFORM_FENCES_H

// A fence of which one side costs nothing: the side that is passed often keeps only the compiler from reordering; the
// side that is passed rarely makes every other thread of the process execute a full fence.

#if defined(__linux__)
  #include <linux/membarrier.h>
  #include <sys/syscall.h>
  #include <unistd.h>
#elif defined(_WIN32)
  #define WIN32_LEAN_AND_MEAN
  #include <windows.h>
#endif

/// Keeps the compiler from moving loads and stores across it. It makes no instruction.
static inline __attribute__((always_inline)) void combine_fence_light(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/// Has the process registered with the system; to be called once before `combine_fence_heavy`.
///
/// Returns whether there is such a fence.
static inline int combine_fence_register(void) {
#if defined(__linux__) && defined(SYS_membarrier)
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#elif defined(_WIN32)
  return 1;
#else
  return 0;
#endif
}

/// Makes each thread of the process that runs at this moment execute a full fence; one that does not run has done so.
static inline void combine_fence_heavy(void) {
#if defined(__linux__) && defined(SYS_membarrier)
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
#elif defined(_WIN32)
  FlushProcessWriteBuffers();
#endif
}

#endif
