#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>

// Starts this program anew if the environment variable is not set to this value, so that it is from the start.
void sandbox_require_environment(const char *_Nonnull name, const char *_Nonnull value, char *_Nullable *_Nonnull arguments);

// Memory that this process and its children share, zeroed; NULL if there is none.
void *_Nullable sandbox_shared_memory(size_t size);

// Forks. The child dies with its parent, ends quietly on a trap, and is silent unless told otherwise. To be called only
// while the process has one thread. Returns 0 in the child.
int sandbox_fork(bool is_silent);

// Ends the child at once, running nothing.
_Noreturn void sandbox_exit(void);

enum sandbox_outcome {
  sandbox_running,
  sandbox_ended,
  sandbox_trapped,
};

// How a child is. To be asked until it no longer runs.
enum sandbox_outcome sandbox_poll(int process);

// As above, when the child no longer runs.
enum sandbox_outcome sandbox_wait(int process);

// Ends a child from outside, and waits until it is gone.
void sandbox_kill(int process);

#endif
