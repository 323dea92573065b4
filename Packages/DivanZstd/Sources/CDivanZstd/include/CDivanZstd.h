#ifndef CDIVANZSTD_H
#define CDIVANZSTD_H

#include <stddef.h>
#include <stdint.h>

// Whether this was built with zstd's headers.
int divan_zstd_is_built_in(void);

// Whether this was built with zstd's headers, and the library itself is on this machine.
int divan_zstd_is_available(void);

// Writes a dictionary of at most `capacity` bytes that has `content`, as much of its end as fits, and
// statistics of the samples, which lie one after the other. Returns its bytes; 0 where the library is
// missing or makes nothing of them.
size_t divan_zstd_dictionary(const uint8_t *content, size_t count, const uint8_t *samples,
                             const size_t *sample_counts, unsigned sample_count, uint8_t *dictionary,
                             size_t capacity);

// Packs pieces one by one, each with the same dictionary before it.
typedef struct divan_zstd_coder divan_zstd_coder;

// Copies the dictionary. NULL when it is none, which `is_corrupt` tells, or when the library or memory is
// missing.
divan_zstd_coder *divan_zstd_coder_make(const uint8_t *dictionary, size_t count, int *is_corrupt);
void divan_zstd_coder_free(divan_zstd_coder *coder);

// Most bytes that `divan_zstd_coder_pack` uses of its output for `count` plain ones.
size_t divan_zstd_coder_bound(size_t count);

// Packs 1 or more bytes into `output`, which holds `divan_zstd_coder_bound(count)`; returns how many
// they became, 0 when the library fails or memory is missing.
size_t divan_zstd_coder_pack(divan_zstd_coder *coder, const uint8_t *plain, size_t count, uint8_t *output);

// Returns whether the packed bytes are exactly `plain_count` plain ones, which are in `output` then.
// Whatever they are, nothing is written beyond it. -1 when memory is missing, which says nothing of them.
int divan_zstd_coder_unpack(divan_zstd_coder *coder, const uint8_t *packed, size_t count, uint8_t *output,
                            size_t plain_count);

#endif
