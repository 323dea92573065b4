#if !__has_include(<openssl/evp.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include "CDivanSealedSQLite.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t magic[divan_head_size] = "SQLite format 3";

struct divan_page_keys {
    const divan_cipher *cipher;
    void *pages;
    void *log;
    EVP_CIPHER_CTX *block_sealing;
    EVP_CIPHER_CTX *block_opening;
    uint8_t head[divan_head_size];
    uint8_t check[divan_check_size];
};

void divan_page_keys_drop(divan_page_keys *keys) {
    if (!keys) return;
    if (keys->pages) keys->cipher->drop(keys->pages);
    if (keys->log) keys->cipher->drop(keys->log);
    EVP_CIPHER_CTX_free(keys->block_sealing);
    EVP_CIPHER_CTX_free(keys->block_opening);
    free(keys);
}

static EVP_CIPHER_CTX *block_context(const uint8_t *key, int seals) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context && EVP_CipherInit_ex(context, EVP_aes_256_ecb(), NULL, key, NULL, seals) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1)
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

divan_page_keys *divan_page_keys_make(const divan_secret *key, const uint8_t *head) {
    const divan_cipher *cipher = divan_cipher_numbered(head[3]);
    if (memcmp(head, "DvS", 3) || !cipher) return NULL;
    divan_page_keys *keys = calloc(1, sizeof *keys);
    if (!keys) return NULL;
    keys->cipher = cipher;
    memcpy(keys->head, head, divan_head_size);
    uint8_t derived[3 * divan_key_size + divan_check_size];
    if (divan_derive(divan_secret_bytes(key), head, divan_head_size, "divan database", derived,
                     sizeof derived)) {
        keys->pages = cipher->make(derived);
        keys->log = cipher->make(derived + divan_key_size);
        keys->block_sealing = block_context(derived + 2 * divan_key_size, 1);
        keys->block_opening = block_context(derived + 2 * divan_key_size, 0);
        memcpy(keys->check, derived + 3 * divan_key_size, divan_check_size);
    }
    divan_seal_wipe(derived, sizeof derived);
    if (keys->pages && keys->log && keys->block_sealing && keys->block_opening) return keys;
    divan_page_keys_drop(keys);
    return NULL;
}

const uint8_t *divan_page_keys_check(const divan_page_keys *keys) { return keys->check; }

static void put32(uint8_t *bytes, uint32_t value) {
    for (int index = 0; index < 4; index++) bytes[index] = (uint8_t)(value >> (24 - 8 * index));
}

static void put64(uint8_t *bytes, uint64_t value) {
    put32(bytes, (uint32_t)(value >> 32));
    put32(bytes + 4, (uint32_t)value);
}

/// The sealed part of a page precedes its reserve: nonce, key check, tag.
static int seal(divan_page_keys *keys, void *context, const uint8_t *bound, size_t bound_size,
                const uint8_t *nonce, const uint8_t *plain, size_t start, size_t size,
                uint8_t *sealed) {
    size_t end = size - divan_reserve_size;
    uint8_t *reserve = sealed + end;
    memcpy(reserve, nonce, divan_nonce_size);
    memcpy(reserve + divan_nonce_size, keys->check, divan_check_size);
    return keys->cipher->seal(context, nonce, bound, bound_size, plain + start, end - start,
                              sealed + start, reserve + divan_nonce_size + divan_check_size);
}

static int open(divan_page_keys *keys, void *context, const uint8_t *bound, size_t bound_size,
                const uint8_t *sealed, size_t start, size_t size, uint8_t *plain) {
    size_t end = size - divan_reserve_size;
    const uint8_t *reserve = sealed + end;
    int opened = divan_same(reserve + divan_nonce_size, keys->check, divan_check_size)
        && keys->cipher->open(context, reserve, bound, bound_size, sealed + start, end - start,
                              reserve + divan_nonce_size + divan_check_size, plain + start);
    // SQLite's own checksums of the log include the reserve, which it left at zero.
    memset(plain + end, 0, divan_reserve_size);
    return opened;
}

/// The tag of a page covers its number; that of page 1 also covers the plain bytes.
static size_t bind_page(uint32_t number, const uint8_t *plain_head, uint8_t *bound) {
    memcpy(bound, "page", 4);
    put32(bound + 4, number);
    if (number != 1) return 8;
    memcpy(bound + 8, plain_head, divan_plain_size);
    return 8 + divan_plain_size;
}

int divan_page_seal(divan_page_keys *keys, uint32_t number, const uint8_t *nonce,
                    const uint8_t *plain, size_t size, uint8_t *sealed) {
    uint8_t bound[8 + divan_plain_size];
    size_t start = 0;
    if (number == 1) {
        start = divan_plain_size;
        if (memcmp(plain, magic, sizeof magic)) return 0;
        memcpy(sealed, keys->head, divan_head_size);
        memcpy(sealed + divan_head_size, plain + divan_head_size, start - divan_head_size);
    }
    size_t bound_size = bind_page(number, sealed, bound);
    return seal(keys, keys->pages, bound, bound_size, nonce, plain, start, size, sealed);
}

int divan_page_open(divan_page_keys *keys, uint32_t number, const uint8_t *sealed, size_t size,
                    uint8_t *plain) {
    uint8_t bound[8 + divan_plain_size];
    size_t start = number == 1 ? divan_plain_size : 0;
    size_t bound_size = bind_page(number, sealed, bound);
    int opened = open(keys, keys->pages, bound, bound_size, sealed, start, size, plain);
    if (number == 1) {
        memcpy(plain + divan_head_size, bound + 8 + divan_head_size, start - divan_head_size);
        memcpy(plain, magic, sizeof magic);
    }
    return opened;
}

enum { frame_bound_size = 20 };

/// The tag of a frame covers the numbers of page and commit, and its position. Not the salts of the log:
/// SQLite leaves them out when it recomputes the checksums of a commit at its end.
static void bind_frame(const uint8_t *frame_head, uint64_t offset, uint8_t *bound) {
    memcpy(bound, "log ", 4);
    memcpy(bound + 4, frame_head, 8);
    put64(bound + 12, offset);
}

int divan_frame_seal(divan_page_keys *keys, const uint8_t *frame_head, uint64_t offset,
                     const uint8_t *nonce, const uint8_t *plain, size_t size, uint8_t *sealed) {
    uint8_t bound[frame_bound_size];
    bind_frame(frame_head, offset, bound);
    return seal(keys, keys->log, bound, sizeof bound, nonce, plain, 0, size, sealed);
}

int divan_frame_open(divan_page_keys *keys, const uint8_t *frame_head, uint64_t offset,
                     const uint8_t *sealed, size_t size, uint8_t *plain) {
    uint8_t bound[frame_bound_size];
    bind_frame(frame_head, offset, bound);
    return open(keys, keys->log, bound, sizeof bound, sealed, 0, size, plain);
}

static int run_block(EVP_CIPHER_CTX *context, uint8_t *block) {
    int count = 0;
    return EVP_CipherUpdate(context, block, &count, block, 16) == 1 && count == 16;
}

static void mix(uint64_t offset, uint8_t *block) {
    uint8_t place[8];
    put64(place, offset);
    for (int index = 0; index < 8; index++) block[index] ^= place[index];
}

int divan_block_seal(divan_page_keys *keys, uint64_t offset, uint8_t *block) {
    mix(offset, block);
    return run_block(keys->block_sealing, block);
}

int divan_block_open(divan_page_keys *keys, uint64_t offset, uint8_t *block) {
    if (!run_block(keys->block_opening, block)) return 0;
    mix(offset, block);
    return 1;
}
