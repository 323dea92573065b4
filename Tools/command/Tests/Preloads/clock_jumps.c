// The wall clock of a program jumps every few milliseconds, by seconds, hours, months and years in both
// directions, as if somebody changed it; the monotonic clock is unaffected. To be preloaded (LD_PRELOAD).
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MILLISECONDS = 7, DAY = 86400 };

static const int jumps[] = {
    0, 5, -5, 3600, -3600, 400 * DAY, -400 * DAY, 3650 * DAY, -3650 * DAY, 1,
};

static int real_time(clockid_t clock, struct timespec *time) {
    return (int)syscall(SYS_clock_gettime, clock, time);
}

static int jump(void) {
    struct timespec now = {0};
    real_time(CLOCK_MONOTONIC, &now);
    long step = (now.tv_sec * 1000 + now.tv_nsec / 1000000) / STEP_MILLISECONDS;
    return jumps[step % (long)(sizeof jumps / sizeof *jumps)];
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int code = real_time(clock, time);
    int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (code == 0 && is_wall) time->tv_sec += jump();
    return code;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now = {0};
    int code = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return code;
}

time_t time(time_t *place) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}
