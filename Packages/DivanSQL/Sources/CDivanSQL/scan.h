#ifndef DIVAN_SCAN_H
#define DIVAN_SCAN_H

#include "json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Looking at sixteen bytes of text at once, if the processor can.

#ifdef __SSE2__
static inline __m128i divan_load(const uint8_t *at) {
    return _mm_loadu_si128((const __m128i *)at);
}

static inline __m128i divan_ends_run(__m128i bytes) {
    return _mm_or_si128(
        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
}
#endif

/// The next quote or backslash at or after `at`, or `end`.
static inline const uint8_t *divan_find_quote(const uint8_t *at, const uint8_t *end) {
#ifdef __SSE2__
    // Long text is scanned in four blocks at a time, short text ends in the first.
    while (end - at >= 16) {
        int found = _mm_movemask_epi8(divan_ends_run(divan_load(at)));
        if (found) return at + __builtin_ctz((unsigned)found);
        at += 16;
        while (end - at >= 64) {
            __m128i found = divan_ends_run(divan_load(at));
            for (int part = 16; part < 64; part += 16)
                found = _mm_or_si128(found, divan_ends_run(divan_load(at + part)));
            if (_mm_movemask_epi8(found)) break;
            at += 64;
        }
    }
#endif
    while (at < end && *at != '"' && *at != '\\') at++;
    return at;
}

#endif
