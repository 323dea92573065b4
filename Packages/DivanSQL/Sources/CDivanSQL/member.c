#define _GNU_SOURCE
#include "scan.h"

#include <string.h>

static int compare(divan_slice left, const uint8_t *right, int64_t right_count) {
    int64_t left_count = divan_count(left);
    int64_t count = left_count < right_count ? left_count : right_count;
    int order = memcmp(left.start, right, (size_t)count);
    if (order != 0) return order;
    return left_count < right_count ? -1 : left_count > right_count;
}

static int compare_key(const divan_walk *walk, const uint8_t *key, int64_t count) {
    if (!walk->key_has_escapes) return compare(walk->key, key, count);
    sqlite3_str *text = sqlite3_str_new(NULL);
    divan_append_unescaped(text, walk->key);
    const uint8_t *start = (const uint8_t *)sqlite3_str_value(text);
    int64_t text_count = sqlite3_str_length(text);
    int order = start ? compare((divan_slice){start, start + text_count}, key, count) : -(count > 0);
    sqlite3_free(sqlite3_str_finish(text));
    return order;
}

/// Whether a key is certainly not in a text: no string there is spelled like it, and without a
/// backslash there is no other spelling.
static bool is_absent(const uint8_t *at, const uint8_t *end, const uint8_t *key, int64_t count) {
    // A quote in a key is spelled with a backslash; compared as bytes, it would match beyond the end of strings.
    if (memchr(key, '"', (size_t)count)) return !memchr(at, '\\', (size_t)(end - at));
#ifdef __SSE2__
    // Sixteen positions at once where a quote precedes the first byte of the key.
    __m128i first = _mm_set1_epi8((char)*key);
    while (end - at > 16 + count) {
        __m128i bytes = divan_load(at), next = divan_load(at + 1);
        __m128i starts =
            _mm_and_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(next, first));
        __m128i escapes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        if (_mm_movemask_epi8(_mm_or_si128(starts, escapes))) {
            if (_mm_movemask_epi8(escapes)) return false;
            for (int rest = _mm_movemask_epi8(starts); rest; rest &= rest - 1) {
                const uint8_t *found = at + __builtin_ctz((unsigned)rest) + 1;
                if (memcmp(found, key, (size_t)count) == 0 && found[count] == '"') return false;
            }
        }
        at += 16;
    }
#endif
    if (memchr(at, '\\', (size_t)(end - at))) return false;
    for (; end - at > count + 1; at++) {
        if (*at == '"' && memcmp(at + 1, key, (size_t)count) == 0 && at[count + 1] == '"')
            return false;
    }
    return true;
}

/// The result of searching a compact object.
typedef enum {
    /// The value was found.
    member_found,
    /// The object ended, and all its keys are less.
    member_absent,
    /// Something that only the general walk understands, or a greater key.
    member_unknown,
} member_outcome;

/// The first eight bytes of a key as a number that sorts in the same order; the key has `count` bytes,
/// and eight can be read.
static inline uint64_t key_prefix(const uint8_t *key, int64_t count) {
    uint64_t bytes;
    memcpy(&bytes, key, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return count >= 8 ? bytes : count == 0 ? 0 : bytes & (UINT64_MAX << (64 - 8 * count));
}

/// Looks for a member of an object that is written without white space and with plain keys.
///
/// `at` is after the opening bracket.
static member_outcome find_in_compact(
    const uint8_t **found, const uint8_t *at, const uint8_t *end, const uint8_t *key,
    int64_t count) {
    uint8_t first[8] = {0};
    memcpy(first, key, count < 8 ? (size_t)count : 8);
    uint64_t prefix = key_prefix(first, count);
    if (at < end && *at == '}') return member_absent;
    // Eight bytes can be read at every key except those at the very end.
    while (end - at > 8 && *at == '"') {
        const uint8_t *start = at + 1;
        at = divan_find_quote(start, end);
        if (end - at < 2 || *at != '"' || at[1] != ':') return member_unknown;
        int64_t length = at - start;
        at += 2;
        uint64_t present = key_prefix(start, length);
        if (present >= prefix) {
            int order = present > prefix ? 1 : compare((divan_slice){start, start + length}, key, count);
            if (order == 0) {
                *found = at;
                return at < end && *at > ' ' ? member_found : member_unknown;
            }
            if (order > 0) {
                bool is_nowhere = count > 0 && is_absent(start - 1, end, key, count);
                return is_nowhere ? member_absent : member_unknown;
            }
        }
        at = divan_skip_value(at, end);
        if (!at || at >= end) return member_unknown;
        if (*at == '}') return member_absent;
        if (*at != ',') return member_unknown;
        at++;
    }
    return member_unknown;
}

const uint8_t *divan_member(divan_slice object, const char *name, int64_t count) {
    const uint8_t *key = (const uint8_t *)name;
    divan_walk walk;
    const uint8_t *value;
    if (!divan_begin_walk(&walk, object) || !walk.is_object) return NULL;
    switch (find_in_compact(&value, walk.at, walk.end, key, count)) {
        case member_found: return value;
        case member_absent: return NULL;
        case member_unknown: break;
    }
    bool was_sought = count == 0;
    while (divan_next_start(&walk, &value)) {
        int order = compare_key(&walk, key, count);
        if (order == 0) return value;
        // Bodies written here have their keys in order; those of other peers may not.
        if (order > 0 && !was_sought) {
            was_sought = true;
            if (is_absent(value, object.end, key, count)) return NULL;
        }
        if (!divan_pass(&walk, value)) return NULL;
    }
    return NULL;
}
