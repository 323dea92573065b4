#define _GNU_SOURCE
#include "json.h"

#include <limits.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool is_space(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

const uint8_t *divan_skip_space(const uint8_t *at, const uint8_t *end) {
    while (at < end && is_space(*at)) at++;
    return at;
}

const uint8_t *divan_skip_string(const uint8_t *at, const uint8_t *end, bool *has_escapes) {
    while (true) {
#ifdef __SSE2__
        // Sixteen bytes at once, as long as so many are left.
        while (end - at >= 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)at);
            __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
            __m128i escapes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
            int found = _mm_movemask_epi8(_mm_or_si128(quotes, escapes));
            if (found) {
                at += __builtin_ctz((unsigned)found);
                break;
            }
            at += 16;
        }
#endif
        while (at < end && *at != '"' && *at != '\\') at++;
        if (at >= end) return NULL;
        if (*at == '"') return at + 1;
        *has_escapes = true;
        if (end - at < 2) return NULL;
        at += 2;
    }
}

/// The next quote or bracket at or behind `at`.
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

static const uint8_t *skip_container(const uint8_t *at, const uint8_t *end) {
    int64_t depth = 0;
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

const uint8_t *divan_skip_value(const uint8_t *at, const uint8_t *end) {
    if (at >= end) return NULL;
    bool ignored = false;
    if (*at == '"') return divan_skip_string(at + 1, end, &ignored);
    if (*at == '{' || *at == '[') return skip_container(at, end);
    const uint8_t *start = at;
    while (at < end && *at != ',' && *at != '}' && *at != ']' && !is_space(*at)) at++;
    return at == start ? NULL : at;
}

bool divan_begin_walk(divan_walk *walk, divan_slice text) {
    const uint8_t *at = divan_skip_space(text.start, text.end);
    if (at >= text.end || (*at != '{' && *at != '[')) return false;
    *walk = (divan_walk){.at = at + 1, .end = text.end, .is_object = *at == '{'};
    return true;
}

bool divan_next_start(divan_walk *walk, const uint8_t **value) {
    const uint8_t *end = walk->end;
    const uint8_t *at = divan_skip_space(walk->at, end);
    if (at >= end) return false;
    if (walk->has_begun) {
        if (*at != ',') return false;
        at = divan_skip_space(at + 1, end);
    }
    walk->has_begun = true;
    if (walk->is_object) {
        if (at >= end || *at != '"') return false;
        walk->key.start = at + 1;
        walk->key_has_escapes = false;
        at = divan_skip_string(at + 1, end, &walk->key_has_escapes);
        if (!at) return false;
        walk->key.end = at - 1;
        at = divan_skip_space(at, end);
        if (at >= end || *at != ':') return false;
        at = divan_skip_space(at + 1, end);
    }
    if (at >= end || *at == ']' || *at == '}') return false;
    *value = at;
    return true;
}

bool divan_pass(divan_walk *walk, const uint8_t *value) {
    const uint8_t *at = divan_skip_value(value, walk->end);
    if (!at) return false;
    walk->at = at;
    return true;
}

bool divan_next(divan_walk *walk, divan_slice *value) {
    const uint8_t *start;
    if (!divan_next_start(walk, &start) || !divan_pass(walk, start)) return false;
    *value = (divan_slice){start, walk->at};
    return true;
}

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
    if (memchr(at, '\\', (size_t)(end - at))) return false;
    while ((at = memmem(at, (size_t)(end - at), key, (size_t)count))) {
        const uint8_t *behind = at + count;
        if (at[-1] == '"' && behind < end && *behind == '"') return false;
        at++;
    }
    return true;
}

const uint8_t *divan_member(divan_slice object, const char *name, int64_t count) {
    const uint8_t *key = (const uint8_t *)name;
    divan_walk walk;
    const uint8_t *value;
    if (!divan_begin_walk(&walk, object) || !walk.is_object) return NULL;
    bool was_sought = count == 0;
    while (divan_next_start(&walk, &value)) {
        int order = compare_key(&walk, key, count);
        if (order == 0) return value;
        // Bodies made here have their keys in order; those of other peers need not.
        if (order > 0 && !was_sought) {
            was_sought = true;
            if (is_absent(value, object.end, key, count)) return NULL;
        }
        if (!divan_pass(&walk, value)) return NULL;
    }
    return NULL;
}

const uint8_t *divan_item(divan_slice array, int64_t index) {
    divan_walk walk;
    divan_slice item;
    if (!divan_begin_walk(&walk, array) || walk.is_object) return NULL;
    if (index < 0) {
        divan_walk counting = walk;
        int64_t total = 0;
        while (divan_next(&counting, &item)) total++;
        if (index < -total) return NULL;
        index += total;
    }
    const uint8_t *value;
    while (divan_next_start(&walk, &value)) {
        if (index-- == 0) return value;
        if (!divan_pass(&walk, value)) return NULL;
    }
    return NULL;
}

void divan_append(sqlite3_str *output, const uint8_t *bytes, int64_t count) {
    sqlite3_str_append(output, (const char *)bytes, count > INT_MAX ? INT_MAX : (int)count);
}
