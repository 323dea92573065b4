// Encrypted pages and logs of SQLite, and a VFS that reads and writes them. The format is described in
// Docs/formats/sealed-database.md.
#ifndef C_DIVAN_SEALED_SQLITE_H
#define C_DIVAN_SEALED_SQLITE_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include "CDivanSeal.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

enum {
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

/// Registers a VFS on top of the one named `base`, or of the one that is the default when a file is opened; null
/// if there is not enough memory. Copies key and name. New files use the cipher with this number; others have
/// their own.
divan_vfs *divan_vfs_make(const uint8_t *key, uint8_t cipher, const char *base);
const char *divan_vfs_name(const divan_vfs *vfs);
/// The number of files that are open through it.
int divan_vfs_open_count(const divan_vfs *vfs);
/// Only if no connection uses it.
void divan_vfs_drop(divan_vfs *vfs);

#endif
