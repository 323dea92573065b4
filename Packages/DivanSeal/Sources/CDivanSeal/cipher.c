#if !__has_include(<openssl/evp.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include "CDivanSeal.h"

#include <openssl/evp.h>
#include <string.h>

// Both ciphers use OpenSSL in the same way: the key is set up once, and each call sets the nonce.
typedef struct {
    EVP_CIPHER_CTX *sealing;
    EVP_CIPHER_CTX *opening;
} pair;

static void drop(void *context) {
    pair *both = context;
    if (!both) return;
    EVP_CIPHER_CTX_free(both->sealing);
    EVP_CIPHER_CTX_free(both->opening);
    OPENSSL_free(both);
}

static void *make(const EVP_CIPHER *cipher, const uint8_t *key) {
    pair *both = OPENSSL_zalloc(sizeof *both);
    if (!both) return NULL;
    both->sealing = EVP_CIPHER_CTX_new();
    both->opening = EVP_CIPHER_CTX_new();
    if (both->sealing && both->opening
        && EVP_EncryptInit_ex(both->sealing, cipher, NULL, key, NULL) == 1
        && EVP_DecryptInit_ex(both->opening, cipher, NULL, key, NULL) == 1)
        return both;
    drop(both);
    return NULL;
}

static int seal(void *context, const uint8_t *nonce, const uint8_t *bound, size_t bound_size,
                const uint8_t *plain, size_t size, uint8_t *sealed, uint8_t *tag) {
    EVP_CIPHER_CTX *sealing = ((pair *)context)->sealing;
    int count = 0;
    return EVP_EncryptInit_ex(sealing, NULL, NULL, NULL, nonce) == 1
        && EVP_EncryptUpdate(sealing, NULL, &count, bound, (int)bound_size) == 1
        && (size == 0 || EVP_EncryptUpdate(sealing, sealed, &count, plain, (int)size) == 1)
        && EVP_EncryptFinal_ex(sealing, tag, &count) == 1
        && EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, divan_tag_size, tag) == 1;
}

static int open(void *context, const uint8_t *nonce, const uint8_t *bound, size_t bound_size,
                const uint8_t *sealed, size_t size, const uint8_t *tag, uint8_t *plain) {
    EVP_CIPHER_CTX *opening = ((pair *)context)->opening;
    uint8_t expected[divan_tag_size], rest[divan_tag_size];
    int count = 0;
    memcpy(expected, tag, sizeof expected);
    return EVP_DecryptInit_ex(opening, NULL, NULL, NULL, nonce) == 1
        && EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, divan_tag_size, expected) == 1
        && EVP_DecryptUpdate(opening, NULL, &count, bound, (int)bound_size) == 1
        && (size == 0 || EVP_DecryptUpdate(opening, plain, &count, sealed, (int)size) == 1)
        && EVP_DecryptFinal_ex(opening, rest, &count) == 1;
}

static void *make_aes(const uint8_t *key) { return make(EVP_aes_256_gcm(), key); }
static void *make_chacha(const uint8_t *key) { return make(EVP_chacha20_poly1305(), key); }

const divan_cipher divan_aes_256_gcm = {1, "AES-256-GCM", make_aes, seal, open, drop};
const divan_cipher divan_chacha20_poly1305
    = {2, "ChaCha20-Poly1305", make_chacha, seal, open, drop};

const divan_cipher *divan_cipher_numbered(uint8_t number) {
    const divan_cipher *known[] = {&divan_aes_256_gcm, &divan_chacha20_poly1305};
    for (size_t index = 0; index < sizeof known / sizeof *known; index++)
        if (known[index]->number == number) return known[index];
    return NULL;
}
