// Appends every change of files and directories below DIVAN_POWER_ROOT to the file DIVAN_POWER_LOG: a line for each,
// after a write its bytes. Nothing is synced.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Held during each operation and its line, so that their order is the same.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/// Whether a path is the root, whose names may be synced, or is below it.
static int is_recorded(const char *path) {
    const char *root = getenv("DIVAN_POWER_ROOT");
    if (!root || strncmp(path, root, strlen(root))) return 0;
    return path[strlen(root)] == '/' || path[strlen(root)] == 0;
}

/// The absolute path of a name, whose directory exists.
static int absolute(int directory, const char *name, char *path) {
    char base[PATH_MAX] = "";
    if (name[0] != '/' && directory == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return 0;
    } else if (name[0] != '/') {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length < 0) return 0;
        base[length] = 0;
    }
    snprintf(path, PATH_MAX, "%s%s%s", base, base[0] ? "/" : "", name);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') path[--length] = 0;
    return is_recorded(path);
}

static int of_descriptor(int file, char *path, struct stat *status) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_recorded(path) && fstat(file, status) == 0;
}

static void put(const void *bytes, size_t count) {
    static int log = -1;
    if (log < 0) log = NEXT(open)(getenv("DIVAN_POWER_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0 || NEXT(write)(log, bytes, count) != (ssize_t)count) abort();
}

static void say(const char *format, ...) {
    char line[3 * PATH_MAX];
    va_list values;
    va_start(values, format);
    int count = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    put(line, (size_t)count);
}

static void note_write(int file, off_t offset, const void *bytes, ssize_t count) {
    char path[PATH_MAX];
    struct stat status;
    if (count <= 0 || !of_descriptor(file, path, &status) || !S_ISREG(status.st_mode)) return;
    say("w\t%lu\t%lld\t%zd\n", status.st_ino, (long long)offset, count);
    put(bytes, (size_t)count);
}

ssize_t write(int file, const void *bytes, size_t count) {
    pthread_mutex_lock(&lock);
    off_t offset = lseek(file, 0, SEEK_CUR);
    ssize_t written = NEXT(write)(file, bytes, count);
    int number = errno;
    if (offset >= 0) note_write(file, offset, bytes, written);
    pthread_mutex_unlock(&lock);
    errno = number;
    return written;
}

static ssize_t write_at(int file, const void *bytes, size_t count, off_t offset) {
    pthread_mutex_lock(&lock);
    ssize_t written = NEXT(pwrite)(file, bytes, count, offset);
    int number = errno;
    note_write(file, offset, bytes, written);
    pthread_mutex_unlock(&lock);
    errno = number;
    return written;
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return write_at(file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return write_at(file, bytes, count, offset);
}

static int change_size(int file, off_t size) {
    char path[PATH_MAX];
    struct stat status;
    pthread_mutex_lock(&lock);
    int code = NEXT(ftruncate)(file, size);
    int number = errno;
    if (code == 0 && of_descriptor(file, path, &status))
        say("t\t%lu\t%lld\n", status.st_ino, (long long)size);
    pthread_mutex_unlock(&lock);
    errno = number;
    return code;
}
int ftruncate(int file, off_t size) { return change_size(file, size); }
int ftruncate64(int file, off64_t size) { return change_size(file, size); }

static int sync_one(int file) {
    char path[PATH_MAX];
    struct stat status;
    pthread_mutex_lock(&lock);
    if (of_descriptor(file, path, &status)) {
        if (S_ISDIR(status.st_mode)) say("f\t%s\n", path);
        else say("s\t%lu\n", status.st_ino);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}
int fsync(int file) { return sync_one(file); }
int fdatasync(int file) { return sync_one(file); }

static void sync_all(void) {
    pthread_mutex_lock(&lock);
    say("a\n");
    pthread_mutex_unlock(&lock);
}
int syncfs(int file) {
    (void)file;
    sync_all();
    return 0;
}
void sync(void) { sync_all(); }

static int open_file(int directory, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat status;
    pthread_mutex_lock(&lock);
    int is_concerned = (flags & (O_CREAT | O_TRUNC)) && absolute(directory, name, path);
    int existed = is_concerned && lstat(path, &status) == 0;
    int file = NEXT(openat)(directory, name, flags, mode);
    int number = errno;
    if (is_concerned && file >= 0 && fstat(file, &status) == 0) {
        if (!existed) say("c\t%lu\t%s\n", status.st_ino, path);
        else if (flags & O_TRUNC) say("t\t%lu\t0\n", status.st_ino);
    }
    pthread_mutex_unlock(&lock);
    errno = number;
    return file;
}

#define OPEN(name, directory, ...)                                            \
    mode_t mode = 0;                                                          \
    if (flags & (O_CREAT | O_TMPFILE)) {                                      \
        va_list values;                                                       \
        va_start(values, flags);                                              \
        mode = va_arg(values, mode_t);                                        \
        va_end(values);                                                       \
    }                                                                         \
    return open_file(directory, name, flags, mode)

int open(const char *name, int flags, ...) { OPEN(name, AT_FDCWD); }
int open64(const char *name, int flags, ...) { OPEN(name, AT_FDCWD); }
int openat(int directory, const char *name, int flags, ...) { OPEN(name, directory); }
int openat64(int directory, const char *name, int flags, ...) { OPEN(name, directory); }

int mkdir(const char *name, mode_t mode) {
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    int code = NEXT(mkdir)(name, mode);
    int number = errno;
    if (code == 0 && absolute(AT_FDCWD, name, path)) say("m\t%s\n", path);
    pthread_mutex_unlock(&lock);
    errno = number;
    return code;
}

static int exchange_or_move(int first, const char *old, int second, const char *new, unsigned flags) {
    char from[PATH_MAX], to[PATH_MAX];
    pthread_mutex_lock(&lock);
    int is_concerned = absolute(first, old, from) & absolute(second, new, to);
    int code = flags ? (int)NEXT(syscall)(SYS_renameat2, first, old, second, new, flags)
                     : NEXT(renameat)(first, old, second, new);
    int number = errno;
    if (code == 0 && is_concerned)
        say("%s\t%s\t%s\n", flags & RENAME_EXCHANGE ? "x" : "r", from, to);
    pthread_mutex_unlock(&lock);
    errno = number;
    return code;
}
int rename(const char *old, const char *new) { return exchange_or_move(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int first, const char *old, int second, const char *new) {
    return exchange_or_move(first, old, second, new, 0);
}
int renameat2(int first, const char *old, int second, const char *new, unsigned flags) {
    return exchange_or_move(first, old, second, new, flags);
}
long syscall(long number, ...) {
    long values[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) values[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_renameat2)
        return exchange_or_move((int)values[0], (const char *)values[1], (int)values[2],
                                (const char *)values[3], (unsigned)values[4]);
    return NEXT(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

int link(const char *old, const char *new) {
    char from[PATH_MAX], to[PATH_MAX];
    pthread_mutex_lock(&lock);
    int code = NEXT(link)(old, new);
    int number = errno;
    if (code == 0 && absolute(AT_FDCWD, old, from) & absolute(AT_FDCWD, new, to))
        say("l\t%s\t%s\n", from, to);
    pthread_mutex_unlock(&lock);
    errno = number;
    return code;
}

static int remove_name(int directory, const char *name, int flags) {
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    int code = NEXT(unlinkat)(directory, name, flags);
    int number = errno;
    if (code == 0 && absolute(directory, name, path)) say("u\t%s\n", path);
    pthread_mutex_unlock(&lock);
    errno = number;
    return code;
}
int unlink(const char *name) { return remove_name(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return remove_name(AT_FDCWD, name, AT_REMOVEDIR); }
int unlinkat(int directory, const char *name, int flags) { return remove_name(directory, name, flags); }
