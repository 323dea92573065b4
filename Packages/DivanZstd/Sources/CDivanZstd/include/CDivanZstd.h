#ifndef CDIVANZSTD_H
#define CDIVANZSTD_H

#include <stddef.h>
#include <stdint.h>

// Whether this was built with zstd's headers.
int divan_zstd_is_built_in(void);

// Whether this was built with zstd's headers, and the library itself is installed.
int divan_zstd_is_available(void);

// Writes a dictionary of at most `capacity` bytes with `content`, as much of its end as fits, and statistics of the
// samples, which are contiguous. Returns its size; 0 if the library is missing or cannot make one.
size_t divan_zstd_dictionary(const uint8_t *content, size_t count, const uint8_t *samples,
                             const size_t *sample_counts, unsigned sample_count, uint8_t *dictionary,
                             size_t capacity);

// Packs pieces separately, each with the same dictionary.
typedef struct divan_zstd_coder divan_zstd_coder;

// Copies the dictionary. NULL if it is invalid, which `is_corrupt` reports, or if the library is missing or memory is
// short.
divan_zstd_coder *divan_zstd_coder_make(const uint8_t *dictionary, size_t count, int *is_corrupt);
void divan_zstd_coder_free(divan_zstd_coder *coder);

// The most bytes of output that `divan_zstd_coder_pack` needs for `count` plain ones.
size_t divan_zstd_coder_bound(size_t count);

// Packs 1 or more bytes into `output`, which has room for `divan_zstd_coder_bound(count)`; returns the packed size, 0
// if the library fails or memory is short.
size_t divan_zstd_coder_pack(divan_zstd_coder *coder, const uint8_t *plain, size_t count, uint8_t *output);

// Returns whether the packed bytes are exactly `plain_count` plain ones, which are then in `output`. In any case,
// nothing is written beyond it. -1 if memory is short, whether or not they are.
int divan_zstd_coder_unpack(divan_zstd_coder *coder, const uint8_t *packed, size_t count, uint8_t *output,
                            size_t plain_count);

enum divan_zstd_step {
    divan_zstd_open = 0,   // in a frame: it needs more input, or more room for output
    divan_zstd_ended = 1,  // the frame is complete, and all output is out
    divan_zstd_failed = 2,
};

// Reads a file of frames (RFC 8878), of which none needs a window of more than 128 MiB.
typedef struct divan_zstd_reader divan_zstd_reader;

// NULL if the library is missing or memory is short.
divan_zstd_reader *divan_zstd_reader_make(void);
void divan_zstd_reader_free(divan_zstd_reader *reader);

// Consumes from `*input`, up to the end of a frame, and writes at most `capacity` bytes.
enum divan_zstd_step divan_zstd_read(divan_zstd_reader *reader, const uint8_t **input,
                                     size_t *input_count, uint8_t *output, size_t capacity,
                                     size_t *output_count);

// The library's message for its failure, or an empty text; constant.
const char *divan_zstd_reader_message(const divan_zstd_reader *reader);

// Writes one frame with a checksum.
typedef struct divan_zstd_writer divan_zstd_writer;

// NULL if the library is missing or memory is short.
divan_zstd_writer *divan_zstd_writer_make(int compression_level);
void divan_zstd_writer_free(divan_zstd_writer *writer);

// Consumes from `*input` and writes at most `capacity` bytes; with `is_last`, it ends the frame.
enum divan_zstd_step divan_zstd_write(divan_zstd_writer *writer, int is_last, const uint8_t **input,
                                      size_t *input_count, uint8_t *output, size_t capacity,
                                      size_t *output_count);

#endif
