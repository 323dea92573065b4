#if !__has_include(<openssl/crypto.h>)
#error "Divan needs the headers of OpenSSL 3: type  sudo apt-get install libssl-dev"
#endif

#include <openssl/crypto.h>

/// Keeps OpenSSL from tidying up when the process exits.
///
/// Connections live on threads that go on until the very end; what the library frees under them
/// would crash a program that merely leaves. The system takes the memory back anyway. It has to be
/// said before anything else is asked of the library.
__attribute__((constructor)) static void keep_until_the_end(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
