#include "CDivanSQLite.h"

#include <stddef.h>

// SQLite's own allocator, with a check of what the calling thread may hold. A thread without an allowance
// pays for one check of a thread-local variable.

static sqlite3_mem_methods plain;
static _Thread_local divan_allowance *current;

/// Requests between two questions whether to stop: some ten microseconds.
enum { unasked_requests = 256 };

/// Whether the calling thread may hold this many more bytes; requests more if they are not granted yet.
static int admits(int64_t more) {
    divan_allowance *allowance = current;
    if (!allowance) return 1;
    if (++allowance->request_count >= unasked_requests) {
        if (allowance->must_stop(allowance->context)) return 0;
        allowance->request_count = 0;
    }
    if (allowance->held + more <= allowance->granted) return 1;
    int64_t missing = allowance->held + more - allowance->granted;
    int64_t granted = allowance->grant(allowance->context, missing);
    allowance->granted += granted;
    return granted >= missing;
}

static void *take(int count) {
    if (!admits(count)) return NULL;
    void *made = plain.xMalloc(count);
    if (current && made) current->held += plain.xSize(made);
    return made;
}

static void give_back(void *memory) {
    if (current && memory) current->held -= plain.xSize(memory);
    plain.xFree(memory);
}

static void *resize(void *memory, int count) {
    int64_t before = current ? plain.xSize(memory) : 0;
    if (!admits(count - before)) return NULL;
    void *made = plain.xRealloc(memory, count);
    if (current && made) current->held += plain.xSize(made) - before;
    return made;
}

int divan_configure_memory(void) {
    sqlite3_mem_methods methods;
    int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &methods);
    if (code != SQLITE_OK) return code;
    plain = methods;
    methods.xMalloc = take;
    methods.xFree = give_back;
    methods.xRealloc = resize;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void divan_use_allowance(divan_allowance *allowance) { current = allowance; }
