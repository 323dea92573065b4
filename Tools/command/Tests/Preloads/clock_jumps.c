// The wall clock of a program jumps every few milliseconds, by seconds, hours, months and years in both
// directions, as if somebody changed it. To be preloaded (LD_PRELOAD).
#define _GNU_SOURCE
#include "wall_clock.h"

enum { STEP_MILLISECONDS = 7, DAY = 86400 };

static const int jumps[] = {
    0, 5, -5, 3600, -3600, 400 * DAY, -400 * DAY, 3650 * DAY, -3650 * DAY, 1,
};

static long seconds_ahead(void) {
    struct timespec now = {0};
    real_time(CLOCK_MONOTONIC, &now);
    long step = (now.tv_sec * 1000 + now.tv_nsec / 1000000) / STEP_MILLISECONDS;
    return jumps[step % (long)(sizeof jumps / sizeof *jumps)];
}
