// Checks that brackets outside strings balance, 64 bytes at a time: the least that a receiver of
// JSON must do, at the speed of the vector units.
#include "floors.h"

#include <stddef.h>
#include <stdint.h>

/// The state of the scan between two blocks.
typedef struct {
    int64_t depth;
    uint64_t in_string;  // all ones inside a string
} scan;

static void scan_bytes(scan *s, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (s->in_string && text[i] == '\\') i += 1;
        else if (text[i] == '"') s->in_string = ~s->in_string;
        else if (!s->in_string) s->depth += (text[i] == '{' || text[i] == '[') -
                                            (text[i] == '}' || text[i] == ']');
    }
}

#ifdef __SSE2__
#include <emmintrin.h>

/// One bit for each of 64 bytes that, with `fold` set in both, equals `byte`.
static uint64_t matches(const char *block, char byte, char fold) {
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(block + 16 * i));
        bytes = _mm_or_si128(bytes, _mm_set1_epi8(fold));
        __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte | fold));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(equal) << (16 * i);
    }
    return bits;
}

static void scan_block(scan *s, const char *block) {
    uint64_t strings = matches(block, '"', 0);
    for (int shift = 1; shift < 64; shift *= 2) strings ^= strings << shift;
    strings ^= s->in_string;
    s->in_string = (uint64_t)((int64_t)strings >> 63);
    // '[' and '{' differ in one bit, and so do ']' and '}'.
    s->depth += __builtin_popcountll(matches(block, '[', 0x20) & ~strings);
    s->depth -= __builtin_popcountll(matches(block, ']', 0x20) & ~strings);
}
#endif

int floor_json_balances(const char *text, size_t length) {
    scan s = {0};
    size_t at = 0;
#ifdef __SSE2__
    for (; at + 64 <= length && !matches(text + at, '\\', 0); at += 64) scan_block(&s, text + at);
#endif
    // From the first escape on, byte by byte: few documents have one.
    scan_bytes(&s, text + at, length - at);
    return s.depth == 0 && !s.in_string;
}
