#ifndef CCOMBINEPLATFORM_THREADTOKENS_H
#define CCOMBINEPLATFORM_THREADTOKENS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A thread that has a number has a token: the number in the upper twelve bits, and below it a generation. Any thread may end
// the token, and then the number has the next one. A thread returns its number when it ends. While 4095 threads have one,
// others have none, and neither has a thread whose generations are used up. On other systems than Linux no thread has one.

enum { combine_token_count = 4096, combine_token_step = 16 };

#if defined(__linux__)

extern __thread uint32_t *combine_token_of_thread;

/// The token of this thread; zero if it has none.
static inline __attribute__((always_inline)) uint32_t combine_token(void) {
  return __atomic_load_n(combine_token_of_thread, __ATOMIC_RELAXED);
}

#else

static inline __attribute__((always_inline)) uint32_t combine_token(void) { return 0; }

#endif

/// Gives this thread a number, unless it has one.
///
/// Returns its token; zero if there are no numbers left, or the system lacks the fence that ends a token.
uint32_t combine_make_token(void);

/// Returns the number of this thread, which is inside nothing, as its end does. A test does so that its threads never lack a token.
void combine_return_number(void);

/// Ends a token. It returns when no thread takes it for its own any longer: each thread loads its new token from then on.
///
/// Returns whether all threads have executed a fence since the token has ended. If not, the caller makes them, and then calls
/// `combine_note_fence`.
uint8_t combine_end_token(uint32_t token);

void combine_note_fence(uint32_t token);

// Whether threads that a test directs get each mark after the first pass.

extern uint8_t combine_marks_at_once;

static inline __attribute__((always_inline)) uint8_t combine_gives_marks_at_once(void) { return combine_marks_at_once; }

static inline void combine_give_marks_at_once(void) { combine_marks_at_once = 1; }

#ifdef __cplusplus
}
#endif

#endif
