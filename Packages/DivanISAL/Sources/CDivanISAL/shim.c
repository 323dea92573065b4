#include "CDivanISAL.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const size_t stored_block = 65535;
static const size_t stored_head = 5;

size_t divan_isal_bound(size_t count) {
    // Stored blocks, the three bits of the empty one that ends the piece, and its lengths, which the library writes
    // before they are removed.
    return count + stored_head * (count / stored_block + 1) + 1 + 4;
}

// The library is loaded at run time, not linked: so the same program runs with and without it, and no linker flag can
// be wrong. The header, if present at build time, gives the structures' layout, which the soname guarantees.
#if __has_include(<isa-l/igzip_lib.h>)

#include <dlfcn.h>
#include <isa-l/igzip_lib.h>
#include <pthread.h>

static struct {
    __typeof__(&isal_deflate_init) init;
    __typeof__(&isal_deflate_reset) reset;
    __typeof__(&isal_deflate) deflate;
    int is_complete;
} library;

static void load(void) {
    void *handle = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return;
    library.init = (__typeof__(library.init))dlsym(handle, "isal_deflate_init");
    library.reset = (__typeof__(library.reset))dlsym(handle, "isal_deflate_reset");
    library.deflate = (__typeof__(library.deflate))dlsym(handle, "isal_deflate");
    library.is_complete = library.init && library.reset && library.deflate;
}

int divan_isal_is_built_in(void) { return 1; }

int divan_isal_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library.is_complete;
}

// The payload of a BLIP frame fits into the tokens of one block.
static const uint32_t level_byte_counts[] = {
    0, ISAL_DEF_LVL1_SMALL, ISAL_DEF_LVL2_SMALL, ISAL_DEF_LVL3_SMALL,
};
// The library counts a stream's bytes in 32 bits; the stream is reset long before they overflow.
static const uint32_t most_stream_bytes = 1u << 30;

struct divan_isal_packer {
    struct isal_zstream stream;
    uint8_t level_buffer[];
};

divan_isal_packer *divan_isal_packer_make(int level) {
    if (level < 1 || level > 3 || !divan_isal_is_available()) return NULL;
    size_t count = sizeof(divan_isal_packer) + level_byte_counts[level];
    // The library requires one of its tables to be aligned to a cache line.
    divan_isal_packer *packer = aligned_alloc(64, (count + 63) & ~(size_t)63);
    if (packer == NULL) return NULL;
    library.init(&packer->stream);
    packer->stream.level = (uint32_t)level;
    packer->stream.level_buf = packer->level_buffer;
    packer->stream.level_buf_size = level_byte_counts[level];
    return packer;
}

void divan_isal_packer_reset(divan_isal_packer *packer) { library.reset(&packer->stream); }

void divan_isal_packer_free(divan_isal_packer *packer) { free(packer); }

// Passes one part; bytes with no room in the output are dropped, and `*dropped` is set. 0 on success.
static int feed(struct isal_zstream *stream, const uint8_t *part, size_t count, int is_last,
                int *dropped) {
    uint8_t scratch[4096];
    if (*dropped) {
        stream->next_out = scratch;
        stream->avail_out = sizeof scratch;
    }
    do {
        uint32_t slice = count > (1u << 30) ? 1u << 30 : (uint32_t)count;
        int ends = is_last && slice == count;
        stream->flush = ends ? SYNC_FLUSH : NO_FLUSH;
        stream->next_in = (uint8_t *)part;
        stream->avail_in = slice;
        while (1) {
            int result = library.deflate(stream);
            if (result != COMP_OK) return result;
            int is_flushed = stream->internal_state.state == ZSTATE_NEW_HDR;
            if (stream->avail_in == 0 && (!ends || is_flushed)) break;
            if (stream->avail_out > 0) return ISAL_INVALID_STATE;
            *dropped = 1;
            stream->next_out = scratch;
            stream->avail_out = sizeof scratch;
        }
        part += slice;
        count -= slice;
    } while (count > 0);
    stream->next_in = NULL;
    return COMP_OK;
}

// The same bytes as stored blocks: the reader's history then matches what the library assumes.
static size_t store(const uint8_t *head, size_t head_count, const uint8_t *body, size_t body_count,
                    uint8_t *output) {
    size_t total = head_count + body_count;
    uint8_t *next = output;
    for (size_t start = 0; start < total;) {
        size_t count = total - start < stored_block ? total - start : stored_block;
        const uint8_t lengths[5] = {0, (uint8_t)count, (uint8_t)(count >> 8), (uint8_t)~count,
                                    (uint8_t)(~count >> 8)};
        memcpy(next, lengths, stored_head);
        next += stored_head;
        size_t first = start < head_count ? head_count - start : 0;
        if (first > count) first = count;
        if (first > 0) memcpy(next, head + start, first);
        if (count > first) memcpy(next + first, body + (start + first - head_count), count - first);
        next += count;
        start += count;
    }
    *next++ = 0;
    return (size_t)(next - output);
}

size_t divan_isal_pack(divan_isal_packer *packer, const uint8_t *head, size_t head_count,
                       const uint8_t *body, size_t body_count, uint8_t *output) {
    struct isal_zstream *stream = &packer->stream;
    size_t bound = divan_isal_bound(head_count + body_count);
    // Anything longer than this is sent as stored blocks.
    stream->next_out = output;
    stream->avail_out = bound > UINT_MAX ? UINT_MAX : (uint32_t)bound;
    if (stream->total_in > most_stream_bytes) library.reset(stream);
    int dropped = 0;
    int result = COMP_OK;
    if (head_count > 0) result = feed(stream, head, head_count, body_count == 0, &dropped);
    if (result == COMP_OK && body_count > 0) result = feed(stream, body, body_count, 1, &dropped);
    if (result != COMP_OK) return 0;
    if (dropped) return store(head, head_count, body, body_count, output);
    static const uint8_t trailer[4] = {0x00, 0x00, 0xFF, 0xFF};
    size_t count = (size_t)(stream->next_out - output);
    if (count <= 4 || memcmp(output + count - 4, trailer, 4) != 0) return 0;
    return count - 4;
}

#else

int divan_isal_is_built_in(void) { return 0; }

int divan_isal_is_available(void) { return 0; }

divan_isal_packer *divan_isal_packer_make(int level) {
    (void)level;
    return NULL;
}

void divan_isal_packer_reset(divan_isal_packer *packer) { (void)packer; }

void divan_isal_packer_free(divan_isal_packer *packer) { (void)packer; }

size_t divan_isal_pack(divan_isal_packer *packer, const uint8_t *head, size_t head_count,
                       const uint8_t *body, size_t body_count, uint8_t *output) {
    (void)packer, (void)head, (void)head_count, (void)body, (void)body_count, (void)output;
    return 0;
}

#endif
