// The file of a database: whole pages, each sealed individually.
#include "sealed_file.h"

#include <stdlib.h>
#include <string.h>

static const char magic[divan_head_size] = "SQLite format 3";
/// SQLite reads this much of a file before it knows the size of a page.
enum { header_size = 100 };

static int inner_size(sealed_file *file, sqlite3_int64 *size) {
    return file->inner->pMethods->xFileSize(file->inner, size);
}

const uint8_t *divan_next_nonce(sealed_file *file) {
    if (file->nonce_count == 0) {
        if (!divan_seal_random(file->nonces, sizeof file->nonces)) return NULL;
        file->nonce_count = nonce_stock;
    }
    return file->nonces + --file->nonce_count * divan_nonce_size;
}

/// The page size in bytes 16 and 17 of a database; 0 for one that is not supported.
static int page_size(const uint8_t *header) {
    int size = header[16] << 8 | header[17];
    if (size == 1) size = 65536;
    return size >= 1024 && size <= 65536 && (size & (size - 1)) == 0 ? size : 0;
}

/// Writes a page size where `page_size` reads it.
static void set_page_size(uint8_t *header, int size) {
    header[16] = size == 65536 ? 0 : (uint8_t)(size >> 8);
    header[17] = size == 65536 ? 1 : (uint8_t)size;
}

static int take_keys(sealed_file *file, const uint8_t *head, int size) {
    file->scratch = malloc((size_t)size + divan_frame_head_size);
    file->keys = file->scratch ? divan_page_keys_make(file->vfs->key, head) : NULL;
    if (!file->keys) {
        free(file->scratch);
        file->scratch = NULL;
        return SQLITE_NOMEM;
    }
    file->page_size = size;
    return SQLITE_OK;
}

static void forget_keys(sealed_file *file) {
    divan_page_keys_drop(file->keys);
    free(file->scratch);
    file->keys = NULL;
    file->scratch = NULL;
}

/// Whether the file was sealed with this key: each page has a check that only the key produces, and
/// in page 1 it stays the same no matter how often that is written, even if half of a write was lost.
static int verify(sealed_file *file) {
    uint8_t check[divan_check_size];
    int code = inner_read(file, check, sizeof check,
                          file->page_size - divan_reserve_size + divan_nonce_size);
    if (code == SQLITE_IOERR_SHORT_READ) return SQLITE_CORRUPT;
    if (code != SQLITE_OK) return code;
    return divan_same(check, divan_page_keys_check(file->keys), sizeof check) ? SQLITE_OK
                                                                              : SQLITE_NOTADB;
}

int divan_seal_load(sealed_file *file) {
    if (file->keys) return SQLITE_OK;
    if (file->refusal) return file->refusal;
    sqlite3_int64 size = 0;
    int code = inner_size(file, &size);
    if (code != SQLITE_OK || size == 0) return code;
    uint8_t header[divan_plain_size];
    code = inner_read(file, header, sizeof header, 0);
    if (code == SQLITE_IOERR_SHORT_READ) return file->refusal = SQLITE_NOTADB;
    if (code != SQLITE_OK) return code;
    if (memcmp(header, "DvS", 3) || !divan_cipher_numbered(header[3]) || !page_size(header)
        || header[20] != divan_reserve_size)
        return file->refusal = SQLITE_NOTADB;
    code = take_keys(file, header, page_size(header));
    if (code != SQLITE_OK) return code;
    code = verify(file);
    if (code == SQLITE_OK) return SQLITE_OK;
    forget_keys(file);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) file->refusal = code;
    return code;
}

// Reading

static int open_page(sealed_file *file, uint32_t number, uint8_t *page) {
    return divan_page_open(file->keys, number, page, (size_t)file->page_size, page)
        ? SQLITE_OK : SQLITE_CORRUPT;
}

/// A page that is not in the file. SQLite would take it for zeros, which is correct for a page that it
/// freed before it was written. But all pages that page 1 counts have been written.
static int read_missing(sealed_file *file, uint32_t number) {
    int code = inner_read(file, file->scratch, file->page_size, 0);
    if (code == SQLITE_IOERR_SHORT_READ) return SQLITE_CORRUPT;
    if (code == SQLITE_OK) code = open_page(file, 1, file->scratch);
    if (code != SQLITE_OK) return code;
    const uint8_t *count = file->scratch + 28;
    uint32_t page_count
        = (uint32_t)count[0] << 24 | (uint32_t)count[1] << 16 | (uint32_t)count[2] << 8 | count[3];
    return number <= page_count ? SQLITE_CORRUPT : SQLITE_IOERR_SHORT_READ;
}

static int read_page(sealed_file *file, uint32_t number, uint8_t *page) {
    int code = inner_read(file, page, file->page_size, (sqlite3_int64)(number - 1) * file->page_size);
    if (code == SQLITE_OK) return open_page(file, number, page);
    if (code != SQLITE_IOERR_SHORT_READ) return code;
    code = number == 1 ? SQLITE_CORRUPT : read_missing(file, number);
    memset(page, 0, (size_t)file->page_size);
    return code;
}

/// What SQLite reads to learn the size of a page. The page itself may be half written, and complete
/// only in the log, so only the plain part is certain here.
static int read_header(sealed_file *file, uint8_t *bytes, int count) {
    int code = read_page(file, 1, file->scratch);
    if (code == SQLITE_CORRUPT) {
        uint8_t header[divan_plain_size];
        code = inner_read(file, header, sizeof header, 0);
        if (code != SQLITE_OK) return code;
        memset(file->scratch, 0, header_size);
        memcpy(file->scratch, magic, sizeof magic);
        memcpy(file->scratch + 16, header + 16, sizeof header - 16);
    }
    if (code == SQLITE_OK) memcpy(bytes, file->scratch, (size_t)count);
    return code;
}

int divan_read_database(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    sealed_file *file = (sealed_file *)base;
    int code = divan_seal_load(file);
    if (code != SQLITE_OK) return code;
    if (!file->keys) return inner_read(file, bytes, count, offset);
    int place = (int)(offset % file->page_size);
    uint32_t number = (uint32_t)(offset / file->page_size) + 1;
    if (place == 0 && count == file->page_size) return read_page(file, number, bytes);
    if (place + count > file->page_size) return SQLITE_IOERR_READ;
    if (offset == 0 && count <= header_size) return read_header(file, bytes, count);
    code = read_page(file, number, file->scratch);
    if (code == SQLITE_OK) memcpy(bytes, file->scratch + place, (size_t)count);
    return code;
}

// Writing

static int write_page(sealed_file *file, uint32_t number, const uint8_t *page) {
    const uint8_t *nonce = divan_next_nonce(file);
    size_t size = (size_t)file->page_size;
    if (!nonce || !divan_page_seal(file->keys, number, nonce, page, size, file->scratch))
        return SQLITE_IOERR_WRITE;
    return inner_write(file, file->scratch, file->page_size,
                       (sqlite3_int64)(number - 1) * file->page_size);
}

/// Writes pages of zeros starting at the end of the file.
///
/// SQLite skips pages that it freed before they were written; a hole could not be distinguished from a
/// page that somebody removed.
static int fill(sealed_file *file, sqlite3_int64 end) {
    sqlite3_int64 size = 0;
    int code = inner_size(file, &size);
    if (code != SQLITE_OK || size >= end) return code;
    uint8_t *zeros = calloc(1, (size_t)file->page_size);
    if (!zeros) return SQLITE_NOMEM;
    // A page that a crash cut off is written again.
    for (sqlite3_int64 at = size - size % file->page_size;
         code == SQLITE_OK && at + file->page_size <= end; at += file->page_size)
        code = write_page(file, (uint32_t)(at / file->page_size) + 1, zeros);
    free(zeros);
    return code;
}

/// Writes an empty page 1 until there is a real one.
static int hold_first_place(sealed_file *file) {
    uint8_t *page = calloc(1, (size_t)file->page_size);
    if (!page) return SQLITE_NOMEM;
    memcpy(page, magic, sizeof magic);
    set_page_size(page, file->page_size);
    page[20] = divan_reserve_size;
    int code = write_page(file, 1, page);
    free(page);
    return code;
}

/// A new file gets its head with page 1, which need not be the first page written: copying a database
/// frees memory by writing out any page.
static int begin(sealed_file *file, const uint8_t *page, int count, sqlite3_int64 offset) {
    uint8_t header[divan_plain_size] = {0};
    set_page_size(header, count);
    if (page_size(offset == 0 ? page : header) != count) return SQLITE_IOERR_WRITE;
    uint8_t head[divan_head_size] = {'D', 'v', 'S', file->vfs->cipher};
    if (!divan_seal_random(head + 4, sizeof head - 4)) return SQLITE_IOERR_WRITE;
    int code = take_keys(file, head, count);
    return code == SQLITE_OK && offset != 0 ? hold_first_place(file) : code;
}

/// SQLite must leave the end of a page at zero: otherwise its checksums over the log would not match.
static int has_reserve(const uint8_t *page, int size) {
    static const uint8_t zeros[divan_reserve_size];
    return memcmp(page + size - divan_reserve_size, zeros, sizeof zeros) == 0;
}

int divan_write_database(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    sealed_file *file = (sealed_file *)base;
    const uint8_t *page = bytes;
    int code = divan_seal_load(file);
    if (code == SQLITE_OK && !file->keys) code = begin(file, page, count, offset);
    if (code != SQLITE_OK) return code;
    int is_page = count == file->page_size && offset % count == 0 && has_reserve(page, count);
    if (!is_page || (offset == 0 && page[20] != divan_reserve_size)) return SQLITE_IOERR_WRITE;
    code = offset == 0 ? SQLITE_OK : fill(file, offset);
    if (code != SQLITE_OK) return code;
    return write_page(file, (uint32_t)(offset / count) + 1, page);
}

int divan_truncate_database(sqlite3_file *base, sqlite3_int64 size) {
    sealed_file *file = (sealed_file *)base;
    int code = divan_seal_load(file);
    if (code == SQLITE_OK && file->keys) code = fill(file, size);
    if (code != SQLITE_OK) return code;
    return file->inner->pMethods->xTruncate(file->inner, size);
}
