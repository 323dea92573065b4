// Sealed pages, logs and blobs, and an SQLite VFS that reads and writes them. The format is
// described in Docs/formats/sealed-database.md.
#ifndef C_DIVAN_SEAL_H
#define C_DIVAN_SEAL_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

enum {
    divan_key_size = 32,
    divan_nonce_size = 12,
    divan_tag_size = 16,
    divan_check_size = 4,
    /// The beginning of a sealed file: "DvS", the cipher's number, 12 random bytes.
    divan_head_size = 16,
    /// Bytes of page 1 that stay plain: the head, and what SQLite reads before it has a key.
    divan_plain_size = 24,
    /// Bytes at the end of each page: nonce, key check, tag.
    divan_reserve_size = 32,
    divan_log_head_size = 32,
    divan_frame_head_size = 24,
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

// Pages

/// Derived from the key of a database and the head of its file: contexts for pages and log.
///
/// Used by one thread at a time.
typedef struct divan_page_keys divan_page_keys;

/// Null if there is not enough memory or the head names no known cipher.
divan_page_keys *divan_page_keys_make(const divan_secret *key, const uint8_t *head);
void divan_page_keys_drop(divan_page_keys *keys);
/// The four bytes in each page that distinguish a wrong key from damage.
const uint8_t *divan_page_keys_check(const divan_page_keys *keys);

/// Seals a page; the last 32 bytes of `plain` must be 0, and for page 1 the first 16 SQLite's magic.
int divan_page_seal(divan_page_keys *keys, uint32_t number, const uint8_t *nonce,
                    const uint8_t *plain, size_t size, uint8_t *sealed);
/// `plain` may be `sealed`.
int divan_page_open(divan_page_keys *keys, uint32_t number, const uint8_t *sealed, size_t size,
                    uint8_t *plain);

/// Seals a page of the log, whose frame at `offset` has this plain head.
int divan_frame_seal(divan_page_keys *keys, const uint8_t *frame_head, uint64_t offset,
                     const uint8_t *nonce, const uint8_t *plain, size_t size, uint8_t *sealed);
int divan_frame_open(divan_page_keys *keys, const uint8_t *frame_head, uint64_t offset,
                     const uint8_t *sealed, size_t size, uint8_t *plain);
/// Seals or opens 16 bytes of a head of the log or of the frame at `offset`, in place.
int divan_block_seal(divan_page_keys *keys, uint64_t offset, uint8_t *block);
int divan_block_open(divan_page_keys *keys, uint64_t offset, uint8_t *block);

// The VFS

/// A VFS with a unique name, through which SQLite reads and writes databases with one key.
typedef struct divan_vfs divan_vfs;

/// Registers a VFS on top of the one named `base`, or of the one that is the
/// default when a file is opened; null if there is not enough memory. Copies key and name. New files use
/// `cipher`; others have their own.
divan_vfs *divan_vfs_make(const uint8_t *key, const divan_cipher *cipher, const char *base);
const char *divan_vfs_name(const divan_vfs *vfs);
/// The number of files that are open through it.
int divan_vfs_open_count(const divan_vfs *vfs);
/// Only if no connection uses it.
void divan_vfs_drop(divan_vfs *vfs);

#endif
