#ifndef CDIVANISAL_H
#define CDIVANISAL_H

#include <stddef.h>
#include <stdint.h>

// One direction of a raw deflate stream (RFC 1951) compressed by ISA-L.
typedef struct divan_isal_packer divan_isal_packer;

// Whether this was built with ISA-L's header.
int divan_isal_is_built_in(void);

// Whether this was built with ISA-L's header, and the library itself is installed.
int divan_isal_is_available(void);

// `level` is 1 to 3. NULL if the library is missing or memory is short.
divan_isal_packer *divan_isal_packer_make(int level);
void divan_isal_packer_reset(divan_isal_packer *packer);
void divan_isal_packer_free(divan_isal_packer *packer);

// The most bytes of output that `divan_isal_pack` needs for `count` plain ones.
size_t divan_isal_bound(size_t count);
// Packs two parts, together at least one byte, into one piece, flushed, without the flush's last four bytes. An empty
// part may be NULL. `output` has room for `divan_isal_bound(head_count + body_count)` bytes. Returns the size of the
// piece, 0 if the library fails.
size_t divan_isal_pack(divan_isal_packer *packer, const uint8_t *head, size_t head_count,
                       const uint8_t *body, size_t body_count, uint8_t *output);

#endif
