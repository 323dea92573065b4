// Ciphers, and keys in memory of their own.
#ifndef C_DIVAN_SEAL_H
#define C_DIVAN_SEAL_H

#include <stddef.h>
#include <stdint.h>

enum {
    divan_key_size = 32,
    divan_nonce_size = 12,
    divan_tag_size = 16,
};

// Ciphers

/// An authenticated cipher with keys of 32 bytes, nonces of 12 and tags of 16.
///
/// A context is used by one thread at a time. Functions that return an int return 1 on success.
typedef struct divan_cipher {
    uint8_t number;
    const char *name;
    /// Null if there is not enough memory.
    void *(*make)(const uint8_t *key);
    /// `sealed` may be `plain`.
    int (*seal)(void *context, const uint8_t *nonce, const uint8_t *bound, size_t bound_size,
                const uint8_t *plain, size_t size, uint8_t *sealed, uint8_t *tag);
    /// 0 if anything differs from what was sealed; `plain`, which may be `sealed`, is then undefined.
    int (*open)(void *context, const uint8_t *nonce, const uint8_t *bound, size_t bound_size,
                const uint8_t *sealed, size_t size, const uint8_t *tag, uint8_t *plain);
    /// Wipes the key.
    void (*drop)(void *context);
} divan_cipher;

extern const divan_cipher divan_aes_256_gcm;
extern const divan_cipher divan_chacha20_poly1305;

/// The cipher with a number; null if there is none.
const divan_cipher *divan_cipher_numbered(uint8_t number);

// Keys

/// A key of 32 bytes in memory of its own, which is excluded from core dumps and swap.
typedef struct divan_secret divan_secret;

/// Copies 32 bytes, or generates random ones if `bytes` is null; null if there is not enough memory.
divan_secret *divan_secret_make(const uint8_t *bytes);
const uint8_t *divan_secret_bytes(const divan_secret *secret);
/// Wipes the key.
void divan_secret_drop(divan_secret *secret);
void divan_seal_wipe(void *bytes, size_t size);
int divan_same(const void *left, const void *right, size_t size);

/// PBKDF2-HMAC-SHA256.
int divan_password_key(const char *password, size_t size, const uint8_t *salt, size_t salt_size,
                       int rounds, uint8_t *key);
/// HKDF-SHA256.
int divan_derive(const uint8_t *key, const uint8_t *salt, size_t salt_size, const char *label,
                 uint8_t *derived, size_t size);
int divan_seal_random(uint8_t *bytes, size_t size);
/// Reads the key of type "user" with a description that the kernel finds in the keyrings of the thread, the
/// process and the session. Returns its size, which may exceed `size`, or -1 with `errno`.
long divan_keyring_read(const char *description, uint8_t *bytes, size_t size);
/// Adds such a key to the keyring of the process, which ends with the process.
int divan_keyring_add(const char *description, const uint8_t *bytes, size_t size);

#endif
