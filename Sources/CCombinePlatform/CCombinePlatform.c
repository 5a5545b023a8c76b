// Almost all functions are in the headers, so that they can be inlined.
#include "CCombinePlatform.h"

#if defined(__ANDROID__)
  #include <android/api-level.h>
#endif

#if defined(__linux__) && defined(SYS_membarrier)

uint8_t combine_fence_state = COMBINE_FENCE_UNKNOWN;

static uint8_t has_heavy_fence(void) {
  #if defined(__ANDROID__)
  // Before Android 10 the system ends an app for this call.
  if (android_get_device_api_level() < 29) return 0;
  #endif
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

// Two threads may ask at once. They get the same answer.
void combine_fence_ask(void) {
  uint8_t state = has_heavy_fence() ? COMBINE_FENCE_HEAVY : COMBINE_FENCE_LACKING;
  __atomic_store_n(&combine_fence_state, state, __ATOMIC_RELEASE);
}

#else

  #if defined(_WIN32)
uint8_t combine_fence_state = COMBINE_FENCE_HEAVY;
  #else
uint8_t combine_fence_state = COMBINE_FENCE_LACKING;
  #endif

void combine_fence_ask(void) {}

#endif

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
DEFINE_THREAD_VARIABLE(const void *, waiting_actions);
