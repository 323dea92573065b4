#define ZLIB_CONST
#if !__has_include(<zlib.h>)
#error "The headers of zlib are missing; run: sudo apt-get install zlib1g-dev"
#endif

#include "CDivanZlib.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct divan_deflater { z_stream stream; };
struct divan_inflater { z_stream stream; };

static const int raw_window_bits = -15;
// 16 more than the window: zlib reads and writes gzip's header and trailer.
static const int gzip_window_bits = 15 + 16;
static const int most_memory = 9;

static divan_deflater *deflater_make(int level, int window_bits) {
    divan_deflater *deflater = calloc(1, sizeof *deflater);
    if (deflater == NULL) return NULL;
    int result = deflateInit2(&deflater->stream, level, Z_DEFLATED, window_bits, most_memory,
                              Z_DEFAULT_STRATEGY);
    if (result == Z_OK) return deflater;
    free(deflater);
    return NULL;
}

divan_deflater *divan_deflater_make(int level) { return deflater_make(level, raw_window_bits); }

divan_deflater *divan_deflater_make_gzip(int level) { return deflater_make(level, gzip_window_bits); }

void divan_deflater_reset(divan_deflater *deflater) { deflateReset(&deflater->stream); }

void divan_deflater_free(divan_deflater *deflater) {
    deflateEnd(&deflater->stream);
    free(deflater);
}

static divan_inflater *inflater_make(int window_bits) {
    divan_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater == NULL) return NULL;
    if (inflateInit2(&inflater->stream, window_bits) == Z_OK) return inflater;
    free(inflater);
    return NULL;
}

divan_inflater *divan_inflater_make(void) { return inflater_make(raw_window_bits); }

divan_inflater *divan_inflater_make_gzip(void) { return inflater_make(gzip_window_bits); }

void divan_inflater_reset(divan_inflater *inflater) { inflateReset(&inflater->stream); }

void divan_inflater_free(divan_inflater *inflater) {
    inflateEnd(&inflater->stream);
    free(inflater);
}

const char *divan_inflater_message(const divan_inflater *inflater) {
    return inflater->stream.msg == NULL ? "" : inflater->stream.msg;
}

// zlib counts in 32 bits: a longer input is passed in slices, and only the last with `last_flush`.
static enum divan_zlib_step step(z_stream *stream, int is_deflating, int last_flush,
                                 const uint8_t **input, size_t *input_count,
                                 uint8_t *output, size_t capacity, size_t *output_count) {
    *output_count = 0;
    if (capacity == 0 || capacity > UINT_MAX) return divan_zlib_failed;
    stream->next_out = output;
    stream->avail_out = (uInt)capacity;
    int result;
    do {
        uInt slice = *input_count > UINT_MAX ? UINT_MAX : (uInt)*input_count;
        int flush = slice == *input_count ? last_flush : Z_NO_FLUSH;
        stream->next_in = *input;
        stream->avail_in = slice;
        result = is_deflating ? deflate(stream, flush) : inflate(stream, flush);
        *input_count -= slice - stream->avail_in;
        *input += slice - stream->avail_in;
    } while (result == Z_OK && *input_count > 0 && stream->avail_out > 0);
    stream->next_in = NULL;
    *output_count = capacity - stream->avail_out;
    if (result == Z_STREAM_END) return divan_zlib_ended;
    // Z_BUF_ERROR: nothing was left to do, as when the last output exactly filled the buffer.
    if (result != Z_OK && result != Z_BUF_ERROR) return divan_zlib_failed;
    if (stream->avail_out == 0) return divan_zlib_more;
    return *input_count == 0 ? divan_zlib_done : divan_zlib_failed;
}

enum divan_zlib_step divan_deflate(divan_deflater *deflater,
                                   const uint8_t **input, size_t *input_count,
                                   uint8_t *output, size_t capacity, size_t *output_count) {
    return step(&deflater->stream, 1, Z_SYNC_FLUSH, input, input_count, output, capacity,
                output_count);
}

enum divan_zlib_step divan_gzip(divan_deflater *deflater, int is_last,
                                const uint8_t **input, size_t *input_count,
                                uint8_t *output, size_t capacity, size_t *output_count) {
    return step(&deflater->stream, 1, is_last ? Z_FINISH : Z_NO_FLUSH, input, input_count, output,
                capacity, output_count);
}

enum divan_zlib_step divan_inflate(divan_inflater *inflater,
                                   const uint8_t **input, size_t *input_count,
                                   uint8_t *output, size_t capacity, size_t *output_count) {
    return step(&inflater->stream, 0, Z_SYNC_FLUSH, input, input_count, output, capacity,
                output_count);
}
