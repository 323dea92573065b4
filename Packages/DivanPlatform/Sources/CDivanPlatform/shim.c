#define _GNU_SOURCE
#include "CDivanPlatform.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

const uint32_t divan_event_readable = EPOLLIN;
const uint32_t divan_event_writable = EPOLLOUT;
const uint32_t divan_event_failed = EPOLLERR | EPOLLHUP;

int divan_poller_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

static int control(int poller, int operation, int descriptor, uint32_t flags, uint64_t data) {
    struct epoll_event event = { .events = flags, .data.u64 = data };
    return epoll_ctl(poller, operation, descriptor, &event);
}

int divan_poller_add(int poller, int descriptor, uint32_t flags, uint64_t data) {
    return control(poller, EPOLL_CTL_ADD, descriptor, flags, data);
}

int divan_poller_change(int poller, int descriptor, uint32_t flags, uint64_t data) {
    return control(poller, EPOLL_CTL_MOD, descriptor, flags, data);
}

int divan_poller_remove(int poller, int descriptor) {
    return control(poller, EPOLL_CTL_DEL, descriptor, 0, 0);
}

int divan_poller_wait(int poller, struct divan_event *events, int capacity, int milliseconds) {
    struct epoll_event found[256];
    if (capacity > 256) capacity = 256;
    int count = epoll_wait(poller, found, capacity, milliseconds);
    for (int index = 0; index < count; index++) {
        events[index].data = found[index].data.u64;
        events[index].flags = found[index].events;
    }
    return count;
}

int divan_bell_create(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int divan_accept(int descriptor, void *address, uint32_t *byte_count) {
    return accept4(descriptor, address, byte_count, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void divan_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

void divan_give_memory_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void divan_give_long_blocks_back(int byte_count) {
#ifdef __GLIBC__
    // Both are constant once one of them is set.
    mallopt(M_MMAP_THRESHOLD, byte_count);
    mallopt(M_TRIM_THRESHOLD, 4 * byte_count);
#else
    (void)byte_count;
#endif
}

int divan_network_watch_create(void) {
    int descriptor = socket(
        AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
            | RTMGRP_IPV6_ROUTE,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

int divan_sync_file_system(int descriptor) {
    return syncfs(descriptor);
}

int divan_pipe(int *ends) {
    return pipe2(ends, O_CLOEXEC);
}

int divan_spawn_in_directory(void *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

int divan_exchange(const char *one, const char *other) {
    // The system call itself: not every C library has a function for it.
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

void divan_begin_write_out(int descriptor) {
    // Without waiting, it does not consume an error that the later sync is to report.
    (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}
