// The digest functions on plain structs are marked deprecated in OpenSSL 3, whose replacement
// allocates twice for each digest. They run the same code (SHA extensions where the CPU has them).
#define OPENSSL_SUPPRESS_DEPRECATED
#if !__has_include(<openssl/core_names.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include "CDivanCrypto.h"

#include <limits.h>
#include <string.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

void divan_sha1_init(SHA_CTX *state) { SHA1_Init(state); }
void divan_sha1_update(SHA_CTX *state, const void *bytes, size_t count) {
    SHA1_Update(state, bytes, count);
}
void divan_sha1_final(SHA_CTX *state, uint8_t digest[20]) { SHA1_Final(digest, state); }

void divan_sha256_init(SHA256_CTX *state) { SHA256_Init(state); }
void divan_sha256_update(SHA256_CTX *state, const void *bytes, size_t count) {
    SHA256_Update(state, bytes, count);
}
void divan_sha256_final(SHA256_CTX *state, uint8_t digest[32]) { SHA256_Final(digest, state); }

int divan_random(void *bytes, size_t count) {
    return count <= INT_MAX && RAND_bytes(bytes, (int)count) == 1;
}

int divan_equal(const void *left, const void *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}

void divan_wipe(void *bytes, size_t count) { OPENSSL_cleanse(bytes, count); }

// Failures leave errors in the library's queue: a call whose errors may be reported starts with none.

int divan_scrypt(const void *password, size_t password_count,
                 const void *salt, size_t salt_count,
                 uint64_t cost, uint64_t block_size, uint64_t parallelism, uint64_t memory,
                 uint8_t *key, size_t key_count) {
    ERR_clear_error();
    return EVP_PBE_scrypt(password, password_count, salt, salt_count,
                          cost, block_size, parallelism, memory, key, key_count);
}

divan_key *divan_key_make_rsa(unsigned bit_count) {
    ERR_clear_error();
    return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bit_count);
}

divan_key *divan_key_make_curve(enum divan_key_kind kind) {
    ERR_clear_error();
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", kind == divan_key_p384 ? "P-384" : "P-256");
}

struct password {
    const void *bytes;
    size_t count;
};

static int copy_password(char *buffer, int capacity, int is_writing, void *context) {
    (void)is_writing;
    const struct password *password = context;
    if (password->bytes == NULL || password->count > (size_t)capacity) return -1;
    memcpy(buffer, password->bytes, password->count);
    return (int)password->count;
}

divan_key *divan_key_from_pem(const void *text, size_t count,
                              const void *password, size_t password_count) {
    ERR_clear_error();
    if (count > INT_MAX) return NULL;
    BIO *source = BIO_new_mem_buf(text, (int)count);
    if (source == NULL) return NULL;
    struct password context = {password, password_count};
    divan_key *key = PEM_read_bio_PrivateKey(source, NULL, copy_password, &context);
    BIO_free(source);
    return key;
}

divan_key *divan_key_from_der(const void *bytes, size_t count) {
    ERR_clear_error();
    if (count > LONG_MAX) return NULL;
    const unsigned char *cursor = bytes;
    divan_key *key = d2i_AutoPrivateKey(NULL, &cursor, (long)count);
    if (key != NULL && cursor != (const unsigned char *)bytes + count) {
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

void divan_key_free(divan_key *key) { EVP_PKEY_free(key); }

enum divan_key_kind divan_key_get_kind(const divan_key *key) {
    if (EVP_PKEY_is_a(key, "RSA")) return divan_key_rsa;
    if (!EVP_PKEY_is_a(key, "EC")) return divan_key_other;
    char name[64];
    size_t count = 0;
    if (!EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name, &count))
        return divan_key_other;
    if (strcmp(name, "prime256v1") == 0 || strcmp(name, "P-256") == 0) return divan_key_p256;
    if (strcmp(name, "secp384r1") == 0 || strcmp(name, "P-384") == 0) return divan_key_p384;
    return divan_key_other;
}

int divan_key_bit_count(const divan_key *key) { return EVP_PKEY_get_bits(key); }

int divan_key_equal(const divan_key *left, const divan_key *right) {
    int are_equal = EVP_PKEY_eq(left, right) == 1;
    // Keys of different kinds leave an error, which the next failure would report.
    ERR_clear_error();
    return are_equal;
}

// Moves the content of `sink` into a buffer of its own; frees the sink.
static uint8_t *take(BIO *sink, int is_written, size_t *count) {
    char *bytes = NULL;
    long length = BIO_get_mem_data(sink, &bytes);
    uint8_t *copy = NULL;
    if (is_written && length > 0) {
        copy = OPENSSL_malloc((size_t)length);
        if (copy != NULL) memcpy(copy, bytes, (size_t)length);
    }
    *count = copy == NULL ? 0 : (size_t)length;
    if (length > 0) OPENSSL_cleanse(bytes, (size_t)length);
    BIO_free(sink);
    return copy;
}

uint8_t *divan_key_to_pkcs8(const divan_key *key, size_t *count) {
    ERR_clear_error();
    *count = 0;
    BIO *sink = BIO_new(BIO_s_secmem());
    if (sink == NULL) return NULL;
    int is_written = i2d_PKCS8PrivateKey_bio(sink, key, NULL, NULL, 0, NULL, NULL);
    return take(sink, is_written, count);
}

uint8_t *divan_key_to_pem(const divan_key *key, const void *password, size_t password_count,
                          size_t *count) {
    ERR_clear_error();
    *count = 0;
    if (password_count > INT_MAX) return NULL;
    BIO *sink = BIO_new(BIO_s_secmem());
    if (sink == NULL) return NULL;
    const EVP_CIPHER *cipher = password == NULL ? NULL : EVP_aes_256_cbc();
    int is_written = PEM_write_bio_PKCS8PrivateKey(
        sink, key, cipher, (char *)password, (int)password_count, NULL, NULL);
    return take(sink, is_written, count);
}

uint8_t *divan_key_to_public_der(const divan_key *key, size_t *count) {
    ERR_clear_error();
    *count = 0;
    BIO *sink = BIO_new(BIO_s_mem());
    if (sink == NULL) return NULL;
    int is_written = i2d_PUBKEY_bio(sink, key);
    return take(sink, is_written, count);
}

void divan_buffer_free(uint8_t *bytes, size_t count) { OPENSSL_clear_free(bytes, count); }

unsigned long divan_take_error(void) {
    unsigned long code = ERR_get_error();
    ERR_clear_error();
    return code;
}

void divan_error_text(unsigned long code, char *text, size_t capacity) {
    ERR_error_string_n(code, text, capacity);
}
