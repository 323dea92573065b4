#ifndef CDIVANLZ4_H
#define CDIVANLZ4_H

#include <stddef.h>
#include <stdint.h>

// The most plain bytes in one block, and the history to which a block may refer.
#define DIVAN_LZ4_BLOCK_BYTE_COUNT 65536

// One direction: plain bytes are in one buffer, with the history immediately before the block.
typedef struct divan_lz4_packer divan_lz4_packer;
typedef struct divan_lz4_unpacker divan_lz4_unpacker;

// NULL if memory is short.
divan_lz4_packer *divan_lz4_packer_make(void);
void divan_lz4_packer_reset(divan_lz4_packer *packer);
void divan_lz4_packer_free(divan_lz4_packer *packer);

// The most bytes of the two lengths before a block.
#define DIVAN_LZ4_HEAD_BYTE_COUNT 6

// The most bytes of output that `divan_lz4_pack` needs for `count` plain ones.
size_t divan_lz4_bound(size_t count);
// Packs two parts, together 1 to DIVAN_LZ4_BLOCK_BYTE_COUNT bytes, into one block after its two lengths; an
// incompressible one is stored. An empty part may be NULL. `output` has room for
// `divan_lz4_bound(head_count + body_count)` bytes. Returns the size of the block, 0 if the library fails.
size_t divan_lz4_pack(divan_lz4_packer *packer, const uint8_t *head, size_t head_count,
                      const uint8_t *body, size_t body_count, uint8_t *output);

divan_lz4_unpacker *divan_lz4_unpacker_make(void);
void divan_lz4_unpacker_reset(divan_lz4_unpacker *unpacker);
void divan_lz4_unpacker_free(divan_lz4_unpacker *unpacker);

// Returns the `plain_count` bytes of a block, valid until the next call; NULL if the block is damaged or `plain_count`
// is wrong. A stored block is taken as it is.
const uint8_t *divan_lz4_unpack(divan_lz4_unpacker *unpacker, const uint8_t *input, size_t count,
                                size_t plain_count, int is_stored);

// Packs pieces separately, each with the same dictionary.
typedef struct divan_lz4_coder divan_lz4_coder;

// Copies the dictionary, of which only the last DIVAN_LZ4_BLOCK_BYTE_COUNT bytes are used; NULL if memory is short.
divan_lz4_coder *divan_lz4_coder_make(const uint8_t *dictionary, size_t count);
void divan_lz4_coder_free(divan_lz4_coder *coder);

// The most bytes that `count` plain ones become; 0 if the library does not accept so many.
size_t divan_lz4_coder_bound(size_t count);

// Packs 1 or more bytes into `output`, which has room for `divan_lz4_coder_bound(count)`; returns the packed size, 0 if
// memory is short.
size_t divan_lz4_coder_pack(divan_lz4_coder *coder, const uint8_t *plain, size_t count, uint8_t *output);

// Returns whether the packed bytes are exactly `plain_count` plain ones, which are then in `output`. In any case,
// nothing is written beyond it.
int divan_lz4_coder_unpack(const divan_lz4_coder *coder, const uint8_t *packed, size_t count,
                           uint8_t *output, size_t plain_count);

#endif
