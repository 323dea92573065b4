#ifndef DIVAN_WORK_H
#define DIVAN_WORK_H

#include <stdbool.h>
#include <stdint.h>

// A function, a collation or a table may have much to do within one step of SQLite, which asks only between steps
// whether it must stop. So whatever can take long counts its work here.

/// Counts work in units of about a nanosecond, such as bytes read; asks now and then, and returns false once the
/// statement must stop. The caller then ends early, with any result.
bool divan_work(int64_t amount);

/// Asks now: before something that cannot be interrupted.
bool divan_work_long(void);

/// Whether the statement must stop; what was computed since is not to be used.
bool divan_is_stopped(void);

#endif
