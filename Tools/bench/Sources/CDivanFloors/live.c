#include "CDivanFloors.h"
#include "floors.h"

#include <pthread.h>
#include <stdlib.h>

/// Whose turn it is: the saving thread's, the counting one's, the told one's.
enum turn { IDLE, COUNTING, TELLING, CLOSED };

struct floor_live {
    floor_query *writer;
    sqlite3 *reader;
    sqlite3_stmt *count;
    pthread_t threads[2];
    int thread_count;
    pthread_mutex_t mutex;
    pthread_cond_t changed[3];
    enum turn turn;
    int has_failed;
    double told;
};

/// Waits for a turn; whether it came before the end.
static int wait_for(floor_live *live, enum turn turn) {
    while (live->turn != turn && live->turn != CLOSED)
        pthread_cond_wait(&live->changed[turn], &live->mutex);
    return live->turn == turn;
}

static void pass_on(floor_live *live, enum turn turn) {
    live->turn = turn;
    pthread_cond_signal(&live->changed[turn]);
}

static void *count(void *argument) {
    floor_live *live = argument;
    pthread_mutex_lock(&live->mutex);
    while (wait_for(live, COUNTING)) {
        if (sqlite3_step(live->count) != SQLITE_ROW) live->has_failed = 1;
        sqlite3_reset(live->count);
        pass_on(live, TELLING);
    }
    pthread_mutex_unlock(&live->mutex);
    return NULL;
}

static void *hear(void *argument) {
    floor_live *live = argument;
    pthread_mutex_lock(&live->mutex);
    while (wait_for(live, TELLING)) {
        live->told = floor_now();
        pass_on(live, IDLE);
    }
    pthread_mutex_unlock(&live->mutex);
    return NULL;
}

floor_live *floor_live_open(const char *path, const char *sql) {
    floor_live *live = calloc(1, sizeof *live);
    if (!live) return NULL;
    pthread_mutex_init(&live->mutex, NULL);
    for (int turn = IDLE; turn <= TELLING; turn++) pthread_cond_init(&live->changed[turn], NULL);
    void *(*const bodies[])(void *) = {count, hear};
    int is_open = (live->writer = floor_query_open(path)) != NULL
        && sqlite3_open(path, &live->reader) == SQLITE_OK
        && sqlite3_prepare_v2(live->reader, sql, -1, &live->count, NULL) == SQLITE_OK;
    for (int index = 0; is_open && index < 2; index++) {
        is_open = pthread_create(&live->threads[index], NULL, bodies[index], live) == 0;
        live->thread_count += is_open;
    }
    if (is_open) return live;
    floor_live_close(live);
    return NULL;
}

double floor_live_save(floor_live *live, const char *id, const char *body, size_t length) {
    double start = floor_now();
    if (!floor_query_insert(live->writer, id, body, length)) return -1;
    pthread_mutex_lock(&live->mutex);
    pass_on(live, COUNTING);
    wait_for(live, IDLE);
    double seconds = live->has_failed ? -1 : live->told - start;
    pthread_mutex_unlock(&live->mutex);
    return seconds;
}

void floor_live_close(floor_live *live) {
    pthread_mutex_lock(&live->mutex);
    live->turn = CLOSED;
    for (int turn = IDLE; turn <= TELLING; turn++) pthread_cond_broadcast(&live->changed[turn]);
    pthread_mutex_unlock(&live->mutex);
    for (int index = 0; index < live->thread_count; index++)
        pthread_join(live->threads[index], NULL);
    sqlite3_finalize(live->count);
    sqlite3_close(live->reader);
    if (live->writer) floor_query_close(live->writer);
    free(live);
}
