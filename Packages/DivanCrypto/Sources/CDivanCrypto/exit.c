#if !__has_include(<openssl/crypto.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include <openssl/crypto.h>

/// Keeps OpenSSL from cleaning up when the process exits.
///
/// Connections have threads that run until the very end; if the library freed memory that they use,
/// an exiting program would crash. The system reclaims the memory anyway. This must be set before
/// any other call of the library.
__attribute__((constructor)) static void keep_until_the_end(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
