#include "CBrowser.h"

#include <stdbool.h>
#include <stdlib.h>

// Functions that the page calls, beside those of the Swift program.

/// Room for a text that the page writes. The function that takes the text frees it with `free`.
__attribute__((export_name("browser_allocate"))) void *browser_allocate(int32_t length) {
  return malloc((size_t)length + 1);
}

__attribute__((swiftcall)) extern void swift_task_donateThreadToGlobalExecutorUntil(
  bool (*condition)(void *), void *context
);

static bool has_run_once(void *passes) { return (*(int *)passes)++ > 0; }

/// Runs the tasks that are ready. If others sleep, the program asks the system to wait for the first of them: the page sets a
/// timer instead, and calls this again.
__attribute__((export_name("browser_run"))) void browser_run(void) {
  int passes = 0;
  swift_task_donateThreadToGlobalExecutorUntil(has_run_once, &passes);
}
