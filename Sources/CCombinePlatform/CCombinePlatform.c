// Almost all functions are in the headers, so that they can be inlined.
#include "CCombinePlatform.h"

static int fence_is_registered = 0;

static int register_process(void) {
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
__attribute__((constructor)) static void register_for_fences(void) { fence_is_registered = register_process(); }

int combine_fence_is_registered(void) { return fence_is_registered; }

#if defined(_WIN32)

static _Thread_local uint8_t delivery;

uint8_t combine_unrequested_delivery(void) { return delivery; }

void combine_set_unrequested_delivery(uint8_t kind) { delivery = kind; }

static _Thread_local const void *current;

const void *combine_current_delivery(void) { return current; }

void combine_set_current_delivery(const void *delivery) { current = delivery; }

static _Thread_local uint64_t next_identifier;

uint64_t combine_next_identifier(void) { return next_identifier; }

void combine_set_next_identifier(uint64_t number) { next_identifier = number; }

#else

_Thread_local uint8_t combine_unrequested_delivery_of_thread = 0;

_Thread_local const void *combine_current_delivery_of_thread = 0;

_Thread_local uint64_t combine_next_identifier_of_thread = 0;

#endif
