// What the floors share with each other.
#ifndef FLOORS_H
#define FLOORS_H

#include <openssl/ssl.h>
#include <sqlite3.h>
#include <time.h>

static inline double floor_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

sqlite3 *floor_open(const char *path);
int floor_bind_row(sqlite3_stmt *insert, sqlite3_int64 seq, const char *id, const char *body,
                   size_t length);
SSL_CTX *floor_server_context(void);
SSL_CTX *floor_client_context(void);

#endif
