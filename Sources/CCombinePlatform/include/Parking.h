#ifndef CCOMBINEPLATFORM_PARKING_H
#define CCOMBINEPLATFORM_PARKING_H

#include <stddef.h>
#include <stdint.h>

// A program for WebAssembly has threads if it is compiled for `wasm32-unknown-wasip1-threads`.
#if !defined(__wasi__) || defined(_REENTRANT)
  #define COMBINE_HAS_THREADS 1
#endif

#if defined(__linux__)
  #include <linux/futex.h>
  #include <sys/syscall.h>
  #include <time.h>
  #include <unistd.h>
#elif defined(_WIN32)
  #define WIN32_LEAN_AND_MEAN
  #include <windows.h>
#elif defined(COMBINE_HAS_THREADS)
  #include <pthread.h>
  #include <time.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A place where one thread sleeps until another thread wakes it, once.
///
/// On Linux it is a futex. On other platforms it is a mutex and a condition variable. WebAssembly without threads never
/// sleeps.

#if defined(__linux__)

// The time as the kernel takes it, whatever the width of the C library's `time_t`. On a platform of 32 bits, the call of
// the old name takes 32 bits, which is enough for an interval. Newer platforms have only the other call.
#if defined(SYS_futex)
  #define COMBINE_SYS_FUTEX SYS_futex
typedef struct {
  long seconds;
  long nanoseconds;
} combine_futex_time;
#else
  #define COMBINE_SYS_FUTEX SYS_futex_time64
typedef struct {
  int64_t seconds;
  int64_t nanoseconds;
} combine_futex_time;
#endif

typedef struct {
  uint32_t value;
} combine_parking_place;

static inline void combine_parking_init(combine_parking_place *place) { place->value = 0; }

static inline void combine_parking_destroy(combine_parking_place *place) { (void)place; }

static inline uint32_t combine_parking_value(combine_parking_place *place) {
  return __atomic_load_n(&place->value, __ATOMIC_ACQUIRE);
}

static inline void combine_parking_set(combine_parking_place *place, uint32_t value) {
  __atomic_store_n(&place->value, value, __ATOMIC_RELEASE);
}

static inline void combine_parking_wake(combine_parking_place *place) {
  syscall(COMBINE_SYS_FUTEX, &place->value, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/// Sleeps until the value is set, or for at most `nanoseconds` if that is not negative. It may return early.
static inline void combine_parking_wait(combine_parking_place *place, int64_t nanoseconds) {
  combine_futex_time limit;
  limit.seconds = nanoseconds / 1000000000;
  limit.nanoseconds = nanoseconds % 1000000000;
  syscall(COMBINE_SYS_FUTEX, &place->value, FUTEX_WAIT_PRIVATE, 0, nanoseconds < 0 ? NULL : &limit, NULL, 0);
}

#elif defined(_WIN32)

typedef struct {
  SRWLOCK lock;
  CONDITION_VARIABLE condition;
  uint32_t value;
} combine_parking_place;

static inline void combine_parking_init(combine_parking_place *place) {
  InitializeSRWLock(&place->lock);
  InitializeConditionVariable(&place->condition);
  place->value = 0;
}

static inline void combine_parking_destroy(combine_parking_place *place) { (void)place; }

static inline void combine_parking_set(combine_parking_place *place, uint32_t value) {
  AcquireSRWLockExclusive(&place->lock);
  place->value = value;
  ReleaseSRWLockExclusive(&place->lock);
}

static inline uint32_t combine_parking_value(combine_parking_place *place) {
  AcquireSRWLockExclusive(&place->lock);
  uint32_t value = place->value;
  ReleaseSRWLockExclusive(&place->lock);
  return value;
}

static inline void combine_parking_wake(combine_parking_place *place) { WakeConditionVariable(&place->condition); }

static inline void combine_parking_wait(combine_parking_place *place, int64_t nanoseconds) {
  DWORD limit = nanoseconds < 0 ? INFINITE : (DWORD)((nanoseconds + 999999) / 1000000);
  AcquireSRWLockExclusive(&place->lock);
  if (place->value == 0) SleepConditionVariableSRW(&place->condition, &place->lock, limit, 0);
  ReleaseSRWLockExclusive(&place->lock);
}

#elif defined(COMBINE_HAS_THREADS)

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  uint32_t value;
} combine_parking_place;

static inline void combine_parking_init(combine_parking_place *place) {
  pthread_mutex_init(&place->mutex, NULL);
  pthread_cond_init(&place->condition, NULL);
  place->value = 0;
}

static inline void combine_parking_destroy(combine_parking_place *place) {
  pthread_cond_destroy(&place->condition);
  pthread_mutex_destroy(&place->mutex);
}

static inline void combine_parking_set(combine_parking_place *place, uint32_t value) {
  pthread_mutex_lock(&place->mutex);
  place->value = value;
  pthread_mutex_unlock(&place->mutex);
}

static inline uint32_t combine_parking_value(combine_parking_place *place) {
  pthread_mutex_lock(&place->mutex);
  uint32_t value = place->value;
  pthread_mutex_unlock(&place->mutex);
  return value;
}

static inline void combine_parking_wake(combine_parking_place *place) { pthread_cond_signal(&place->condition); }

static inline void combine_parking_wait(combine_parking_place *place, int64_t nanoseconds) {
  pthread_mutex_lock(&place->mutex);
  if (place->value == 0 && nanoseconds < 0) {
    pthread_cond_wait(&place->condition, &place->mutex);
  } else if (place->value == 0) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)(nanoseconds / 1000000000);
    end.tv_nsec += (long)(nanoseconds % 1000000000);
    if (end.tv_nsec >= 1000000000) {
      end.tv_sec += 1;
      end.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&place->condition, &place->mutex, &end);
  }
  pthread_mutex_unlock(&place->mutex);
}

#else

typedef struct {
  uint32_t value;
} combine_parking_place;

static inline void combine_parking_init(combine_parking_place *place) { place->value = 0; }
static inline void combine_parking_destroy(combine_parking_place *place) { (void)place; }
static inline uint32_t combine_parking_value(combine_parking_place *place) { return place->value; }
static inline void combine_parking_set(combine_parking_place *place, uint32_t value) { place->value = value; }
static inline void combine_parking_wake(combine_parking_place *place) { (void)place; }
static inline void combine_parking_wait(combine_parking_place *place, int64_t nanoseconds) {
  (void)place;
  (void)nanoseconds;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
