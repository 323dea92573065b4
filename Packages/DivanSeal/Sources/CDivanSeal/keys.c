#define _GNU_SOURCE
#if !__has_include(<openssl/evp.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include "CDivanSeal.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct divan_secret {
    uint8_t bytes[divan_key_size];
};

static size_t room(void) { return (size_t)sysconf(_SC_PAGESIZE); }

divan_secret *divan_secret_make(const uint8_t *bytes) {
    // A page of its own, since the advice below applies to whole pages.
    void *page = mmap(NULL, room(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return NULL;
    madvise(page, room(), MADV_DONTDUMP);
    // A user's limit of locked memory may be reached; the key is kept nevertheless.
    (void)mlock(page, room());
    divan_secret *secret = page;
    if (bytes) {
        memcpy(secret->bytes, bytes, divan_key_size);
    } else if (!divan_seal_random(secret->bytes, divan_key_size)) {
        divan_secret_drop(secret);
        return NULL;
    }
    return secret;
}

const uint8_t *divan_secret_bytes(const divan_secret *secret) { return secret->bytes; }

void divan_secret_drop(divan_secret *secret) {
    if (!secret) return;
    OPENSSL_cleanse(secret, room());
    munmap(secret, room());
}

void divan_seal_wipe(void *bytes, size_t size) { OPENSSL_cleanse(bytes, size); }

int divan_same(const void *left, const void *right, size_t size) {
    return CRYPTO_memcmp(left, right, size) == 0;
}

int divan_password_key(const char *password, size_t size, const uint8_t *salt, size_t salt_size,
                       int rounds, uint8_t *key) {
    return PKCS5_PBKDF2_HMAC(password, (int)size, salt, (int)salt_size, rounds, EVP_sha256(),
                             divan_key_size, key);
}

int divan_derive(const uint8_t *key, const uint8_t *salt, size_t salt_size, const char *label,
                 uint8_t *derived, size_t size) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    if (!context) return 0;
    int made = EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
        && EVP_PKEY_CTX_set1_hkdf_salt(context, salt, (int)salt_size) == 1
        && EVP_PKEY_CTX_set1_hkdf_key(context, key, divan_key_size) == 1
        && EVP_PKEY_CTX_add1_hkdf_info(context, (const uint8_t *)label, (int)strlen(label)) == 1
        && EVP_PKEY_derive(context, derived, &size) == 1;
    EVP_PKEY_CTX_free(context);
    return made;
}

int divan_seal_random(uint8_t *bytes, size_t size) { return RAND_bytes(bytes, (int)size) == 1; }

// The kernel's own calls: these two do not justify a dependency on libkeyutils.
long divan_keyring_read(const char *description, uint8_t *bytes, size_t size) {
    long key = syscall(SYS_request_key, "user", description, NULL, 0);
    return key < 0 ? -1 : syscall(SYS_keyctl, KEYCTL_READ, key, bytes, size);
}

int divan_keyring_add(const char *description, const uint8_t *bytes, size_t size) {
    return syscall(SYS_add_key, "user", description, bytes, size, KEY_SPEC_PROCESS_KEYRING) >= 0;
}
