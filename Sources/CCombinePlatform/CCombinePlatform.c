// Almost all functions are in the headers, so that they can be inlined.
#include "CCombinePlatform.h"

uint8_t combine_has_heavy_fence = 0;

static uint8_t register_process(void) {
#if defined(__linux__) && defined(SYS_membarrier)
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#elif defined(_WIN32)
  return 1;
#else
  return 0;
#endif
}

// When the library is loaded and the process has one thread, registering takes a microsecond. Later it waits for all
// processors, which takes milliseconds, and a cancel would pay for it.
__attribute__((constructor)) static void register_for_fences(void) { combine_has_heavy_fence = register_process(); }

uint8_t combine_watches_points = 0;

#if defined(_WIN32)

  #define DEFINE_THREAD_VARIABLE(type, name) \
    static _Thread_local type name; \
    type combine_##name(void) { return name; } \
    void combine_set_##name(type value) { name = value; } \
    _Static_assert(1, "takes the semicolon")

#else

  #define DEFINE_THREAD_VARIABLE(type, name) _Thread_local type combine_##name##_of_thread = 0

#endif

DEFINE_THREAD_VARIABLE(const void *, current_delivery);
DEFINE_THREAD_VARIABLE(uint8_t, unrequested_delivery);
DEFINE_THREAD_VARIABLE(const void *, delivery_receipt);
DEFINE_THREAD_VARIABLE(uint64_t, next_identifier);
