// Shared by the floors.
#ifndef FLOORS_H
#define FLOORS_H

#include <openssl/ssl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static inline double floor_seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline double floor_now(void) { return floor_seconds(CLOCK_MONOTONIC); }

/// Processor time of this thread: what others do on the machine does not count.
static inline double floor_work(void) { return floor_seconds(CLOCK_THREAD_CPUTIME_ID); }

/// Resident memory of this process.
static inline double floor_resident_bytes(void) {
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    int count = fscanf(file, "%ld %ld", &total, &resident);
    fclose(file);
    return count == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE) : 0;
}

sqlite3 *floor_open(const char *path);
void floor_remove_database(const char *path);
/// Whether the brackets of JSON text balance.
int floor_json_balances(const char *text, size_t length);
int floor_bind_row(sqlite3_stmt *insert, sqlite3_int64 seq, const char *id, const char *body,
                   size_t length);
SSL_CTX *floor_server_context(void);
SSL_CTX *floor_client_context(void);

#endif
