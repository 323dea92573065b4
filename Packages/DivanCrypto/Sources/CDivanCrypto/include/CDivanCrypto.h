#ifndef CDIVANCRYPTO_H
#define CDIVANCRYPTO_H

#if !__has_include(<openssl/sha.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include <stddef.h>
#include <stdint.h>
#include <openssl/sha.h>

// Digest states are plain structs: a digest of a document allocates nothing.
void divan_sha1_init(SHA_CTX *state);
void divan_sha1_update(SHA_CTX *state, const void *bytes, size_t count);
void divan_sha1_final(SHA_CTX *state, uint8_t digest[20]);
void divan_sha256_init(SHA256_CTX *state);
void divan_sha256_update(SHA256_CTX *state, const void *bytes, size_t count);
void divan_sha256_final(SHA256_CTX *state, uint8_t digest[32]);

// Fills `bytes`; 1 on success.
int divan_random(void *bytes, size_t count);
// 1 if equal; the time depends only on `count`.
int divan_equal(const void *left, const void *right, size_t count);
// Overwrites memory in a way that no optimizer removes.
void divan_wipe(void *bytes, size_t count);

// scrypt (RFC 7914) with N = `cost`; 1 if `key` was filled. Fails if more than `memory` bytes are needed.
int divan_scrypt(const void *password, size_t password_count,
                 const void *salt, size_t salt_count,
                 uint64_t cost, uint64_t block_size, uint64_t parallelism, uint64_t memory,
                 uint8_t *key, size_t key_count);

// A private key; freeing it wipes it.
typedef struct evp_pkey_st divan_key;

enum divan_key_kind {
    divan_key_other = 0,
    divan_key_rsa = 1,
    divan_key_p256 = 2,
    divan_key_p384 = 3,
};

divan_key *divan_key_make_rsa(unsigned bit_count);
divan_key *divan_key_make_curve(enum divan_key_kind kind);
// `password` may be NULL: an encrypted text is then refused; there is no prompt on a terminal.
divan_key *divan_key_from_pem(const void *text, size_t count,
                              const void *password, size_t password_count);
divan_key *divan_key_from_der(const void *bytes, size_t count);
void divan_key_free(divan_key *key);

enum divan_key_kind divan_key_get_kind(const divan_key *key);
int divan_key_bit_count(const divan_key *key);
// 1 if both have the same public key.
int divan_key_equal(const divan_key *left, const divan_key *right);

// Each returns a buffer for `divan_buffer_free`, or NULL.
uint8_t *divan_key_to_pkcs8(const divan_key *key, size_t *count);
uint8_t *divan_key_to_pem(const divan_key *key, const void *password, size_t password_count,
                          size_t *count);
uint8_t *divan_key_to_public_der(const divan_key *key, size_t *count);
// Wipes and frees.
void divan_buffer_free(uint8_t *bytes, size_t count);

// Takes the oldest library error of this thread and clears the rest; 0 when there is none.
unsigned long divan_take_error(void);
void divan_error_text(unsigned long code, char *text, size_t capacity);

#endif
