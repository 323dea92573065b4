// A program finds no zstd, on a machine where other libraries need it. To be preloaded (LD_PRELOAD).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

void *dlopen(const char *name, int flags) {
    if (name != NULL && strstr(name, "libzstd") != NULL) return NULL;
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return next == NULL ? NULL : next(name, flags);
}
