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

// Threads load their own token for each value, and another thread writes it rarely. The first is of threads without a number.
static uint32_t combine_tokens[combine_token_count];

// The last generation of a number has no marks. It still tells whose the marks of the generations before are: the thread may be
// inside with one.
static int is_last(uint32_t token) { return (token & 0xFFFF0) == 0xFFFF0; }

// For each number: all threads have executed a fence since the tokens below this one have ended.
static uint32_t fenced_tokens[combine_token_count];

uint8_t combine_marks_at_once = 0;

#if defined(__linux__)

  #include <pthread.h>

_Thread_local uint32_t *combine_token_of_thread = combine_tokens;

static pthread_mutex_t numbers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t numbers_once = PTHREAD_ONCE_INIT;
static pthread_key_t number_of_thread;

// The numbers that threads have returned, and the last one that was new.
static uint16_t returned_numbers[combine_token_count];
static uint32_t returned_count = 0, last_number = 0;

static void return_number(void *place) {
  uint32_t number = (uint32_t)((uint32_t *)place - combine_tokens);
  combine_token_of_thread = combine_tokens;
  // The marks of this thread are nobody's from now on.
  combine_end_token(__atomic_load_n(&combine_tokens[number], __ATOMIC_RELAXED));
  pthread_mutex_lock(&numbers_lock);
  if (!is_last(__atomic_load_n(&combine_tokens[number], __ATOMIC_RELAXED))) { returned_numbers[returned_count++] = (uint16_t)number; }
  pthread_mutex_unlock(&numbers_lock);
}

static void make_key(void) { pthread_key_create(&number_of_thread, return_number); }

void combine_return_number(void) {
  if (combine_token_of_thread == combine_tokens) { return; }
  pthread_setspecific(number_of_thread, 0);
  return_number(combine_token_of_thread);
}

uint32_t combine_make_token(void) {
  if (combine_token_of_thread != combine_tokens || !combine_has_heavy_fence) {
    uint32_t token = combine_token();
    return is_last(token) ? 0 : token;
  }
  pthread_once(&numbers_once, make_key);
  pthread_mutex_lock(&numbers_lock);
  uint32_t number = 0;
  if (returned_count > 0) {
    number = returned_numbers[--returned_count];
  } else if (last_number + 1 < combine_token_count) {
    number = ++last_number;
    __atomic_store_n(&combine_tokens[number], number << 20, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&numbers_lock);
  if (number == 0) { return 0; }
  combine_token_of_thread = &combine_tokens[number];
  pthread_setspecific(number_of_thread, combine_token_of_thread);
  return combine_token();
}

#else

void combine_return_number(void) {}

uint32_t combine_make_token(void) { return 0; }

#endif

uint8_t combine_end_token(uint32_t token) {
  uint32_t number = token >> 20, expected = token, next = token + combine_token_step;
  // No mark has the last one, and after it would come the next number's.
  if (is_last(token)) { return 1; }
  __atomic_compare_exchange_n(&combine_tokens[number], &expected, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&fenced_tokens[number], __ATOMIC_ACQUIRE) > token;
}

void combine_note_fence(uint32_t token) {
  uint32_t *fenced = &fenced_tokens[token >> 20];
  uint32_t old = __atomic_load_n(fenced, __ATOMIC_RELAXED);
  while (old <= token && !__atomic_compare_exchange_n(fenced, &old, token + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}
}
