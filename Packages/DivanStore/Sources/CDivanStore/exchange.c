// For the GNU declaration of renameat2.
#define _GNU_SOURCE
#include "CDivanStore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int divan_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0 ? 0 : errno;
}
