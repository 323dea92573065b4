// Makes unshare(2) fail as in containers. To be preloaded (LD_PRELOAD).
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

int unshare(int flags) {
    (void)flags;
    errno = EPERM;
    return -1;
}
