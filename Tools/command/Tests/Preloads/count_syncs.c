// Appends a byte to the file that DIVAN_SYNCS names for each write-ahead log that is synced.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    const char *place = getenv("DIVAN_SYNCS");
    if (length < 4 || memcmp(path + length - 4, "-wal", 4) != 0 || place == NULL) return;
    int file = open(place, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0) return;
    if (write(file, ".", 1) != 1) abort();
    close(file);
}

int fdatasync(int descriptor) {
    note(descriptor);
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return next(descriptor);
}

int fsync(int descriptor) {
    note(descriptor);
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return next(descriptor);
}
