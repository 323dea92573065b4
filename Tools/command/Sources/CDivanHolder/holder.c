#define _GNU_SOURCE
#include "CDivanHolder.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// Uses the descriptor's own path: a name below it always fits into an address.
static int make_address(struct sockaddr_un *address, int directory, const char *name) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s",
                          directory, name);
    if (length > 0 && (size_t)length < sizeof address->sun_path) return 0;
    errno = ENAMETOOLONG;
    return -1;
}

static int fail(int descriptor) {
    int number = errno;
    close(descriptor);
    errno = number;
    return -1;
}

int divan_holder_listen(int directory, const char *name) {
    struct sockaddr_un address;
    if (make_address(&address, directory, name) != 0) return -1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    // The socket file gets the mode that the socket has when it is bound.
    if (fchmod(descriptor, 0600) != 0) return fail(descriptor);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return fail(descriptor);
    if (listen(descriptor, 64) != 0) return fail(descriptor);
    return descriptor;
}

int divan_holder_connect(int directory, const char *name) {
    struct sockaddr_un address;
    if (make_address(&address, directory, name) != 0) return -1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        return fail(descriptor);
    }
    return descriptor;
}

int divan_holder_peer(int socket, uint32_t *user, int32_t *process) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *user = credentials.uid;
    *process = credentials.pid;
    return 0;
}

enum { most_files = 8 };

int divan_holder_send_files(int socket, const int *files, size_t count) {
    if (count == 0 || count > most_files) {
        errno = EINVAL;
        return -1;
    }
    char byte = 'F';
    struct iovec part = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * most_files)];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), files, sizeof(int) * count);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int divan_holder_receive_files(int socket, int *files, size_t count) {
    char byte = 0;
    struct iovec part = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * most_files)];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
    int taken = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t sent = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < sent; index++) {
            int file;
            memcpy(&file, CMSG_DATA(header) + index * sizeof(int), sizeof file);
            if ((size_t)taken < count) {
                files[taken++] = file;
            } else {
                close(file);
            }
        }
    }
    return taken;
}

int divan_holder_enter(int directory) {
    if (unshare(CLONE_FS) == 0) return fchdir(directory);
    int number = errno;
    struct stat here, there;
    if (stat(".", &here) == 0 && fstat(directory, &there) == 0 && here.st_dev == there.st_dev &&
        here.st_ino == there.st_ino) {
        return 0;
    }
    errno = number;
    return -1;
}
