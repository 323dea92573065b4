#if !__has_include(<lz4.h>)
#error "The headers of LZ4 are missing; run: sudo apt-get install liblz4-dev"
#endif

#include "CDivanLZ4.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

struct divan_lz4_coder {
    // A stream that has loaded the dictionary, and the copy of it that packs the next piece; created with the first
    // piece, since most coders only unpack.
    LZ4_stream_t *loaded;
    size_t count;
    char dictionary[DIVAN_LZ4_BLOCK_BYTE_COUNT];
};

divan_lz4_coder *divan_lz4_coder_make(const uint8_t *dictionary, size_t count) {
    divan_lz4_coder *coder = malloc(sizeof *coder);
    if (coder == NULL) return NULL;
    if (count > DIVAN_LZ4_BLOCK_BYTE_COUNT) {
        dictionary += count - DIVAN_LZ4_BLOCK_BYTE_COUNT;
        count = DIVAN_LZ4_BLOCK_BYTE_COUNT;
    }
    coder->loaded = NULL;
    coder->count = count;
    if (count > 0) memcpy(coder->dictionary, dictionary, count);
    return coder;
}

void divan_lz4_coder_free(divan_lz4_coder *coder) {
    free(coder->loaded);
    free(coder);
}

size_t divan_lz4_coder_bound(size_t count) {
    return count <= LZ4_MAX_INPUT_SIZE ? (size_t)LZ4_compressBound((int)count) : 0;
}

size_t divan_lz4_coder_pack(divan_lz4_coder *coder, const uint8_t *plain, size_t count,
                            uint8_t *output) {
    size_t bound = divan_lz4_coder_bound(count);
    if (count == 0 || bound == 0) return 0;
    if (coder->loaded == NULL) {
        coder->loaded = malloc(2 * sizeof *coder->loaded);
        if (coder->loaded == NULL) return 0;
        LZ4_initStream(coder->loaded, sizeof *coder->loaded);
        LZ4_loadDict(coder->loaded, coder->dictionary, (int)coder->count);
    }
    LZ4_stream_t *working = coder->loaded + 1;
    memcpy(working, coder->loaded, sizeof *working);
    int packed = LZ4_compress_fast_continue(working, (const char *)plain, (char *)output, (int)count,
                                            (int)bound, 1);
    return packed > 0 ? (size_t)packed : 0;
}

int divan_lz4_coder_unpack(const divan_lz4_coder *coder, const uint8_t *packed, size_t count,
                           uint8_t *output, size_t plain_count) {
    if (count == 0 || plain_count == 0 || count > INT_MAX || plain_count > INT_MAX) return 0;
    int unpacked = LZ4_decompress_safe_usingDict((const char *)packed, (char *)output, (int)count,
                                                 (int)plain_count, coder->dictionary,
                                                 (int)coder->count);
    return unpacked >= 0 && (size_t)unpacked == plain_count;
}
