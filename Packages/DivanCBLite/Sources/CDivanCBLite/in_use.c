#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CDivanCBLite.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

// The system grants a lease for reading only if nobody has the file open for writing. It asks for the
// file's owner or a privileged process; others see only the locks that SQLite holds during a transaction,
// and with a log as long as the database is open.
int divan_cblite_is_open_for_writing(const char *path) {
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    int is_open = 0;
    // Whoever opens the file meanwhile has this signal sent, which is ignored unless handled; the default
    // one would end the process.
    if (fcntl(descriptor, F_SETSIG, SIGURG) == 0) {
        if (fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0) {
            fcntl(descriptor, F_SETLEASE, F_UNLCK);
        } else if (errno == EAGAIN) {
            is_open = 1;
        }
    }
    // SQLite's bytes for locks: pending, reserved and shared.
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512
    };
    if (!is_open && fcntl(descriptor, F_OFD_GETLK, &lock) == 0) is_open = lock.l_type != F_UNLCK;
    close(descriptor);
    return is_open;
}
