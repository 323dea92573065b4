// JSON text as a tape: one entry for each value and key, in the order of the text.
#ifndef FLOOR_TAPE_H
#define FLOOR_TAPE_H

#include <stddef.h>
#include <stdint.h>

/// A value or a key.
typedef struct {
    uint64_t place;  // its first byte (0 for a number), 24 bits of length, 32 of where it begins
    union {
        int64_t integer;
        double fraction;
        uint64_t next;  // of an object or array: the entry behind all that is in it
    };
} floor_entry;

static inline uint64_t floor_place(uint8_t kind, size_t length, uint32_t at) {
    return (uint64_t)kind << 56 | (uint64_t)length << 32 | at;
}

/// `{`, `[`, `"`, `t`, `f`, `n`, or 0 for a number.
static inline uint8_t floor_kind(floor_entry entry) { return (uint8_t)(entry.place >> 56); }

/// Where it begins; for a string, after its quote.
static inline uint32_t floor_start(floor_entry entry) { return (uint32_t)entry.place; }

/// Bytes of the text, without quotes.
static inline size_t floor_length(floor_entry entry) { return entry.place >> 32 & 0xFFFFFF; }

/// The places of a text's tokens, and its entries; allocated by `floor_parse`.
typedef struct {
    uint32_t *tokens;
    floor_entry *entries;
    size_t capacity;  // bytes of text for which there is room
    size_t count;     // entries
} floor_tape;

/// Validates `text` and fills the tape; 0 if it is not JSON or longer than 16 MB.
int floor_parse(floor_tape *tape, const char *text, size_t length);

/// Frees the tape's memory.
void floor_end_tape(floor_tape *tape);

#endif
