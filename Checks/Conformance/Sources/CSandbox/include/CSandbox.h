#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>

// Restarts this program unless the environment variable has this value, so that it is set from the start.
void sandbox_require_environment(const char *_Nonnull name, const char *_Nonnull value, char *_Nullable *_Nonnull arguments);

// Returns zeroed memory that this process and its children share, or NULL.
void *_Nullable sandbox_shared_memory(size_t size);

// Forks. The child dies with its parent, ends without a report on a trap, and is silent if `is_silent` is set. Call it
// only while the process has one thread. Returns 0 in the child.
int sandbox_fork(bool is_silent);

// Ends the child immediately without running any handlers.
_Noreturn void sandbox_exit(void);

enum sandbox_outcome {
  sandbox_running,
  sandbox_ended,
  sandbox_trapped,
};

// Returns the state of a child. Call it until the child no longer runs.
enum sandbox_outcome sandbox_poll(int process);

// Waits until the child no longer runs, and returns its state.
enum sandbox_outcome sandbox_wait(int process);

// Kills a child, and waits until it has ended.
void sandbox_kill(int process);

#endif
