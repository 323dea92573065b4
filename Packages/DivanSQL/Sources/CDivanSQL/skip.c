#define _GNU_SOURCE
#include "scan.h"

#include <string.h>

static bool is_space(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

const uint8_t *divan_skip_space(const uint8_t *at, const uint8_t *end) {
    while (at < end && is_space(*at)) at++;
    return at;
}

const uint8_t *divan_skip_string(const uint8_t *at, const uint8_t *end, bool *has_escapes) {
    while (true) {
        at = divan_find_quote(at, end);
        if (at >= end) return NULL;
        if (*at == '"') return at + 1;
        *has_escapes = true;
        if (end - at < 2) return NULL;
        at += 2;
    }
}

/// The next quote or bracket at or after `at`.
static const uint8_t *find_structure(const uint8_t *at, const uint8_t *end) {
#ifdef __SSE2__
    while (end - at >= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        // `[` and `{`, `]` and `}` differ in one bit.
        __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        __m128i found = _mm_or_si128(
            _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
            _mm_or_si128(
                _mm_cmpeq_epi8(folded, _mm_set1_epi8('{')),
                _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'))));
        int mask = _mm_movemask_epi8(found);
        if (mask) return at + __builtin_ctz((unsigned)mask);
        at += 16;
    }
#endif
    while (at < end && *at != '"' && (*at | 0x20) != '{' && (*at | 0x20) != '}') at++;
    return at;
}

/// Skips a container string by string, bracket by bracket.
static const uint8_t *skip_container_slowly(const uint8_t *at, const uint8_t *end, int64_t depth) {
    bool ignored = false;
    while (at && (at = find_structure(at, end)) < end) {
        uint8_t byte = *at++;
        if (byte == '"') {
            at = divan_skip_string(at, end, &ignored);
        } else if ((byte | 0x20) == '{') {
            depth++;
        } else if (--depth <= 0) {
            return at;
        }
    }
    return NULL;
}

/// A bit for each of 64 bytes.
typedef struct {
    uint64_t quotes;
    uint64_t backslashes;
    uint64_t openings;
    uint64_t closings;
} block;

#ifdef __SSE2__
static inline block read_block(const uint8_t *at) {
    block block = {0};
    for (int part = 0; part < 4; part++) {
        __m128i bytes = divan_load(at + 16 * part);
        // `[` and `{`, `]` and `}` differ in one bit.
        __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
#define BITS(form, byte) \
    ((uint64_t)(uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(form, _mm_set1_epi8(byte))) << 16 * part)
        block.quotes |= BITS(bytes, '"');
        block.backslashes |= BITS(bytes, '\\');
        block.openings |= BITS(folded, '{');
        block.closings |= BITS(folded, '}');
#undef BITS
    }
    return block;
}

/// For each bit, whether the number of set bits up to and including it is odd.
static inline uint64_t parities(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}
#endif

/// The end of the container that begins at `at`, or null.
///
/// Sixty-four bytes at once: the parity of the quotes before a byte shows whether it is in a string, as
/// long as there is no backslash among them.
static const uint8_t *skip_container(const uint8_t *at, const uint8_t *end) {
#ifdef __SSE2__
    int64_t depth = 0;
    while (end - at >= 64) {
        block block = read_block(at);
        if (block.backslashes) break;
        uint64_t inside = parities(block.quotes);
        uint64_t openings = block.openings & ~inside, closings = block.closings & ~inside;
        for (uint64_t rest = openings | closings; rest; rest &= rest - 1) {
            depth += (openings & rest & -rest) ? 1 : -1;
            if (depth <= 0) return at + __builtin_ctzll(rest) + 1;
        }
        // A string that continues is skipped as a string.
        bool goes_on = inside >> 63;
        if (!goes_on) {
            at += 64;
            continue;
        }
        bool ignored = false;
        at = divan_skip_string(at + 64, end, &ignored);
        if (!at) return NULL;
    }
    return skip_container_slowly(at, end, depth);
#else
    return skip_container_slowly(at, end, 0);
#endif
}

/// The next byte at or after `at` that ends a number or a word.
static inline const uint8_t *find_end(const uint8_t *at, const uint8_t *end) {
#ifdef __SSE2__
    if (end - at >= 16) {
        __m128i bytes = divan_load(at);
        __m128i ends = _mm_or_si128(
            _mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')),
            _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('}')));
        // Bytes up to the space are white space.
        __m128i spaces = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
        int found = _mm_movemask_epi8(_mm_or_si128(ends, spaces));
        if (found) return at + __builtin_ctz((unsigned)found);
    }
#endif
    while (at < end && *at != ',' && *at != '}' && *at != ']' && *at > ' ') at++;
    return at;
}

/// The end of the string whose content begins at `at`, or null; escapes are not examined.
static inline const uint8_t *pass_string(const uint8_t *at, const uint8_t *end) {
    const uint8_t *start = at;
    while (at < end) {
#ifdef __SSE2__
        // Most strings are short.
        if (end - at >= 16) {
            int found = _mm_movemask_epi8(_mm_cmpeq_epi8(divan_load(at), _mm_set1_epi8('"')));
            at = found ? at + __builtin_ctz((unsigned)found)
                       : memchr(at + 16, '"', (size_t)(end - at - 16));
        } else {
            at = memchr(at, '"', (size_t)(end - at));
        }
#else
        at = memchr(at, '"', (size_t)(end - at));
#endif
        if (!at) return NULL;
        // After an odd number of backslashes the quote is part of the text.
        const uint8_t *escape = at;
        while (escape > start && escape[-1] == '\\') escape--;
        at++;
        if ((at - 1 - escape) % 2 == 0) return at;
    }
    return NULL;
}

const uint8_t *divan_skip_value(const uint8_t *at, const uint8_t *end) {
    if (at >= end) return NULL;
    if (*at == '"') return pass_string(at + 1, end);
    if (*at == '{' || *at == '[') return skip_container(at, end);
    const uint8_t *behind = find_end(at, end);
    return behind == at ? NULL : behind;
}
