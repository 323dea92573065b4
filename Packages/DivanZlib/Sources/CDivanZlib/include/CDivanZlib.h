#ifndef CDIVANZLIB_H
#define CDIVANZLIB_H

#include <stddef.h>
#include <stdint.h>

// One direction of a raw deflate stream (RFC 1951) without zlib's wrapper, or of a gzip file (RFC 1952).
typedef struct divan_deflater divan_deflater;
typedef struct divan_inflater divan_inflater;

enum divan_zlib_step {
    divan_zlib_done = 0,  // all input is consumed and all output is out
    divan_zlib_more = 1,  // `output` is full: call again
    divan_zlib_failed = 2,
    divan_zlib_ended = 3, // the stream has ended, as a gzip member does and a piece never does
};

// NULL if memory is short.
divan_deflater *divan_deflater_make(int level);
divan_deflater *divan_deflater_make_gzip(int level);
void divan_deflater_reset(divan_deflater *deflater);
void divan_deflater_free(divan_deflater *deflater);

// Consumes from `*input` and writes at most `capacity` bytes, flushed so that a peer can read them.
enum divan_zlib_step divan_deflate(divan_deflater *deflater,
                                   const uint8_t **input, size_t *input_count,
                                   uint8_t *output, size_t capacity, size_t *output_count);

// The same without a flush; with `is_last` it ends the gzip member, and returns `divan_zlib_ended` when all is out.
enum divan_zlib_step divan_gzip(divan_deflater *deflater, int is_last,
                                const uint8_t **input, size_t *input_count,
                                uint8_t *output, size_t capacity, size_t *output_count);

divan_inflater *divan_inflater_make(void);
divan_inflater *divan_inflater_make_gzip(void);
void divan_inflater_reset(divan_inflater *inflater);
void divan_inflater_free(divan_inflater *inflater);

enum divan_zlib_step divan_inflate(divan_inflater *inflater,
                                   const uint8_t **input, size_t *input_count,
                                   uint8_t *output, size_t capacity, size_t *output_count);

// The library's message for its last failure, or an empty text; valid until the next call.
const char *divan_inflater_message(const divan_inflater *inflater);

#endif
