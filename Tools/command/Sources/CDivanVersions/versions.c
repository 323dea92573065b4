#include "CDivanVersions.h"

#if !__has_include(<sqlite3.h>) || !__has_include(<openssl/crypto.h>) || !__has_include(<zlib.h>) \
    || !__has_include(<lz4.h>) || !__has_include(<unicode/uversion.h>)
#error "Divan needs headers of C libraries: type  make setup"
#endif

#include <lz4.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unicode/uversion.h>
#include <zlib.h>

// The versions that the running program has loaded, which may be newer than those it was built with.
const char *divan_library(int index) {
    static _Thread_local char text[64];
    UVersionInfo icu;
    switch (index) {
    case 0: snprintf(text, sizeof text, "SQLite %s", sqlite3_libversion()); return text;
    case 1:
        snprintf(text, sizeof text, "OpenSSL %s", OpenSSL_version(OPENSSL_FULL_VERSION_STRING));
        return text;
    case 2: snprintf(text, sizeof text, "zlib %s", zlibVersion()); return text;
    case 3: snprintf(text, sizeof text, "LZ4 %s", LZ4_versionString()); return text;
    case 4:
        u_getVersion(icu);
        snprintf(text, sizeof text, "ICU %d.%d", icu[0], icu[1]);
        return text;
    default: return NULL;
    }
}

const char *divan_commit(void) {
#ifdef DIVAN_COMMIT
    return DIVAN_COMMIT;
#else
    return "";
#endif
}
