#include "work.h"

#include "include/CDivanSQL.h"

#include <stddef.h>

/// Work between two questions: some hundred microseconds.
enum { piece = 1 << 18 };

static _Thread_local divan_stopping *current;

void divan_use_stopping(divan_stopping *stopping) { current = stopping; }

static bool ask(void) {
    current->work = 0;
    if (!current->is_stopped) current->is_stopped = current->must_stop(current->context);
    return !current->is_stopped;
}

bool divan_work(int64_t amount) {
    if (!current) return true;
    current->work += amount;
    return current->work < piece ? !current->is_stopped : ask();
}

bool divan_work_long(void) { return !current || ask(); }

bool divan_is_stopped(void) { return current && current->is_stopped; }
