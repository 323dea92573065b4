// Linux calls that Swift's Glibc module does not export.
#ifndef CDIVANPLATFORM_H
#define CDIVANPLATFORM_H

#include <stdint.h>

// Bits of `divan_event.flags`.
extern const uint32_t divan_event_readable;
extern const uint32_t divan_event_writable;
extern const uint32_t divan_event_failed;

// An event of the descriptor that was registered with `data`.
struct divan_event {
    uint64_t data;
    uint32_t flags;
};

// Returns an epoll descriptor, or -1 with errno set.
int divan_poller_create(void);
// Each returns 0, or -1 with errno set.
int divan_poller_add(int poller, int descriptor, uint32_t flags, uint64_t data);
int divan_poller_change(int poller, int descriptor, uint32_t flags, uint64_t data);
int divan_poller_remove(int poller, int descriptor);
// Fills at most `capacity` events, no more than 256; returns their number, or -1.
int divan_poller_wait(int poller, struct divan_event *events, int capacity, int milliseconds);

// Returns a non-blocking counter that wakes a poller, or -1 with errno set.
int divan_bell_create(void);

// Accepts as a non-blocking socket that child processes do not inherit; `address` is a
// `struct sockaddr` with room for `*byte_count` bytes.
int divan_accept(int descriptor, void *address, uint32_t *byte_count);

// Returns a non-blocking netlink socket that becomes readable whenever a link, an address or a route of this machine
// changes; -1 with errno set where that is not allowed.
int divan_network_watch_create(void);

// Names the calling thread in debuggers and in `top`; at most 15 bytes.
void divan_name_thread(const char *name);

// Returns free memory to the system; does nothing if the C library has no such call.
void divan_give_memory_back(void);

// Makes the C library return freed blocks of this many bytes or more to the system at once.
void divan_give_long_blocks_back(int byte_count);

// Creates a pipe whose two ends child processes do not inherit. Returns 0, or -1 with errno set.
int divan_pipe(int *ends);

// Exchanges two files or directories of one file system in one step. Returns 0, or -1 with errno set.
int divan_exchange(const char *one, const char *other);

// Makes the system start to write a file's new bytes to the disk, without waiting for it: a hint, whose result is not
// reported.
void divan_begin_write_out(int descriptor);

// Syncs the file system that contains an open file. Returns 0, or -1 with errno set.
int divan_sync_file_system(int descriptor);

// Makes a program start in a directory; `actions` is a `posix_spawn_file_actions_t`. Returns an error number, or 0.
int divan_spawn_in_directory(void *actions, const char *path);

#endif
