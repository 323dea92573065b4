// Validates JSON and finds everything in it, in the fastest way known: first vectors for the places of
// all tokens, then one step for each token. This is what a parser that builds no values can achieve.
#include "tape.h"

#include "CDivanFloors.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The state of the search for tokens between two blocks.
typedef struct {
    uint64_t in_string;     // all ones inside a string
    uint64_t escapes_next;  // 1 when the next byte is escaped
    uint64_t in_scalar;     // 1 inside a number or word
    uint64_t beyond_ascii, has_escapes, wrong;
} scan;

/// The bytes after an odd number of backslashes.
static uint64_t escaped(scan *s, uint64_t slash) {
    uint64_t escaped = s->escapes_next, even = 0x5555555555555555u;
    slash &= ~escaped;
    s->has_escapes |= slash;
    uint64_t follows = slash << 1 | escaped, odd_starts = slash & ~even & ~follows, sum;
    s->escapes_next = __builtin_add_overflow(odd_starts, slash, &sum);
    return (even ^ sum << 1) & follows;
}

/// Control characters: none in strings, and only three between tokens.
static void check_controls(scan *s, const char *text, uint64_t control, uint64_t inside) {
    s->wrong |= control & inside;
    for (; control; control &= control - 1) {
        char byte = text[__builtin_ctzll(control)];
        s->wrong |= byte != '\t' && byte != '\n' && byte != '\r';
    }
}

/// Flips every bit after each that is set: all ones between two quotes.
static inline uint64_t runs_by_shifts(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

/// The positions of the bits set in a byte, the lowest first.
static uint8_t places_of_bits[256][8];

__attribute__((constructor)) static void fill_places(void) {
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0, count = 0; bit < 8; bit++)
            if (byte >> bit & 1) places_of_bits[byte][count++] = (uint8_t)bit;
}

#ifdef __x86_64__

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))
#define SSE4 __attribute__((target("sse4.2,popcnt")))

AVX2 static inline uint64_t runs_by_product(uint64_t bits) {
    __m128i all = _mm_set1_epi8((char)0xFF), one = _mm_set_epi64x(0, (int64_t)bits);
    return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(one, all, 0));
}

/// Writes eight tokens, however many of them are valid; the rest is overwritten by what follows.
AVX2 static inline void put_avx2(uint32_t *tokens, uint32_t at, const uint8_t *places) {
    __m256i wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)places));
    _mm256_storeu_si256((__m256i *)tokens, _mm256_add_epi32(wide, _mm256_set1_epi32((int)at)));
}

SSE4 static inline void put_sse4(uint32_t *tokens, uint32_t at, const uint8_t *places) {
    __m128i bytes = _mm_loadl_epi64((const __m128i *)places), all = _mm_set1_epi32((int)at);
    __m128i low = _mm_cvtepu8_epi32(bytes), high = _mm_cvtepu8_epi32(_mm_srli_si128(bytes, 4));
    _mm_storeu_si128((__m128i *)tokens, _mm_add_epi32(low, all));
    _mm_storeu_si128((__m128i *)tokens + 1, _mm_add_epi32(high, all));
}

#define NAMED(name) name##_avx2
#define TOKENS tokens_avx2
#define TARGET AVX2
#define WIDTH 32
#define vector __m256i
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(from))
#define EACH(byte) _mm256_set1_epi8(byte)
#define EQUAL _mm256_cmpeq_epi8
#define LEAST _mm256_min_epu8
#define OR _mm256_or_si256
#define MASK(lane) (uint32_t)_mm256_movemask_epi8(lane)
#define RUNS runs_by_product
#include "tokens.h"
#undef NAMED
#undef TOKENS
#undef TARGET
#undef WIDTH
#undef vector
#undef LOAD
#undef EACH
#undef EQUAL
#undef LEAST
#undef OR
#undef MASK
#undef RUNS

#define NAMED(name) name##_sse4
#define TOKENS tokens_sse4
#define TARGET SSE4
#define WIDTH 16
#define vector __m128i
#define LOAD(from) _mm_loadu_si128((const __m128i *)(from))
#define EACH(byte) _mm_set1_epi8(byte)
#define EQUAL _mm_cmpeq_epi8
#define LEAST _mm_min_epu8
#define OR _mm_or_si128
#define MASK(lane) (uint32_t)_mm_movemask_epi8(lane)
#define RUNS runs_by_shifts
#include "tokens.h"

static uint32_t *find_tokens(scan *s, const char *text, size_t length, uint32_t *tokens) {
    int is_wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul");
    return is_wide ? tokens_avx2(s, text, length, tokens) : tokens_sse4(s, text, length, tokens);
}

#else

// Other machines use the compiler's generic vectors, without a fast way from lanes to bits: a
// floor that is slower than it could be.
typedef uint8_t plain_lane __attribute__((vector_size(16)));

static inline plain_lane load_plain(const char *from) {
    plain_lane lane;
    memcpy(&lane, from, sizeof lane);
    return lane;
}

static inline plain_lane each_plain(uint8_t byte) { return (plain_lane){0} + byte; }

/// The top bit of each byte.
static inline uint32_t mask_plain(plain_lane lane) {
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++) bits |= (uint32_t)(lane[i] >> 7) << i;
    return bits;
}

static inline void put_plain(uint32_t *tokens, uint32_t at, const uint8_t *places) {
    for (int i = 0; i < 8; i++) tokens[i] = at + places[i];
}

#define NAMED(name) name##_plain
#define TOKENS find_tokens
#define TARGET
#define WIDTH 16
#define vector plain_lane
#define LOAD load_plain
#define EACH each_plain
#define EQUAL(a, b) ((plain_lane)((a) == (b)))
#define LEAST(a, b) (((plain_lane)((a) < (b)) & (a)) | ((plain_lane)((a) >= (b)) & (b)))
#define OR(a, b) ((a) | (b))
#define MASK mask_plain
#define RUNS runs_by_shifts
#include "tokens.h"

#endif

// MARK: Values

static int is_utf8(const uint8_t *text, size_t length) {
    for (size_t i = 0; i < length;) {
        uint8_t byte = text[i++];
        if (byte < 0x80) continue;
        int more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
        if (byte < 0xC2 || byte > 0xF4 || i + (size_t)more > length) return 0;
        uint32_t point = byte & (0x3F >> more);
        for (int k = 0; k < more; k++, i++) {
            if ((text[i] & 0xC0) != 0x80) return 0;
            point = point << 6 | (text[i] & 0x3F);
        }
        if (more == 2 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) return 0;
        if (more == 3 && (point < 0x10000 || point > 0x10FFFF)) return 0;
    }
    return 1;
}

static int has_sound_escapes(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\\') continue;
        char kind = text[++i];
        if (kind == 'u') {
            for (int k = 0; k < 4; k++)
                if (++i >= length || !strchr("0123456789abcdefABCDEF", text[i])) return 0;
        } else if (!kind || !strchr("\"\\/bfnrt", kind)) {
            return 0;
        }
    }
    return 1;
}

/// Parses a number; returns where it ends, or NULL.
static const char *parse_number(floor_entry *entry, const char *at, const char *end) {
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9, 1e10,
                                    1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const char *start = at;
    int is_negative = *at == '-';
    at += is_negative;
    const char *first = at;
    uint64_t value = 0;
    for (; at < end && (uint8_t)(*at - '0') <= 9; at++) value = 10 * value + (uint64_t)(*at - '0');
    if (at == first || (*first == '0' && at > first + 1)) return NULL;
    if (at == end || (*at != '.' && (*at | 0x20) != 'e')) {
        entry->integer = is_negative ? -(int64_t)value : (int64_t)value;
        return at;
    }
    const char *point = at;
    if (*at == '.')
        for (at++; at < end && (uint8_t)(*at - '0') <= 9; at++)
            value = 10 * value + (uint64_t)(*at - '0');
    if (at == point + 1) return NULL;
    int is_long = at - first > 18 || (at < end && (*at | 0x20) == 'e');
    if (!is_long && value < 1ull << 53) {
        double size = (double)value / powers[at - point - 1];
        entry->fraction = is_negative ? -size : size;
        return at;
    }
    // Long ones are rare; strtod needs a terminator.
    char copy[400] = {0}, *stop;
    memcpy(copy, start, (size_t)(end - start) < 399 ? (size_t)(end - start) : 399);
    entry->fraction = strtod(copy, &stop);
    return isfinite(entry->fraction) ? start + (stop - copy) : NULL;
}

static int is_word(const char *at, size_t left, const char *word, size_t length) {
    return left >= length && memcmp(at, word, length) == 0;
}

/// A number or a word; returns where it ends, or NULL.
static const char *parse_scalar(floor_entry *entry, const char *start, size_t left) {
    if (*start == '-' || (uint8_t)(*start - '0') <= 9)
        return parse_number(entry, start, start + left);
    if (is_word(start, left, "true", 4) || is_word(start, left, "null", 4)) return start + 4;
    return is_word(start, left, "false", 5) ? start + 5 : NULL;
}

/// A number or a word, followed by nothing but a blank or a mark.
static inline int put_scalar(floor_entry *entry, const char *text, uint32_t at, size_t length) {
    static const uint8_t ends[256] = {[' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\r'] = 1,
                                      [','] = 1, [':'] = 1,  [']'] = 1,  ['}'] = 1};
    const char *start = text + at, *stop;
    uint8_t digit = (uint8_t)(*start - '0');
    if (digit <= 9 && at + 1 < length && ends[(uint8_t)start[1]]) {
        *entry = (floor_entry){.place = floor_place(0, 1, at), .integer = digit};
        return 1;
    }
    stop = parse_scalar(entry, start, length - at);
    if (stop == NULL) return 0;
    uint8_t kind = *start >= 'a' ? (uint8_t)*start : 0;
    entry->place = floor_place(kind, (size_t)(stop - start), at);
    return stop == text + length || ends[(uint8_t)*stop];
}

static inline floor_entry string(const uint32_t *token) {
    return (floor_entry){.place = floor_place('"', token[1] - token[0] - 1, token[0] + 1)};
}

enum { DEPTH = 512 };

/// One step for each token; a token 0 follows the last.
static int put_entries(floor_tape *tape, const char *text, size_t length, const uint32_t *end) {
    const uint32_t *token = tape->tokens;
    floor_entry *entry = tape->entries, *open[DEPTH], *inner = NULL;
    int depth = 0;
    char byte;
value:
    if (token >= end) return 0;
    byte = text[*token];
    if (byte == '"') {
        *entry++ = string(token);
        token += 2;
        goto behind;
    }
    if (byte != '{' && byte != '[') {
        if (!put_scalar(entry++, text, *token++, length)) return 0;
        goto behind;
    }
    if (depth == DEPTH) return 0;
    open[depth++] = inner = entry++;
    inner->place = floor_place((uint8_t)byte, 0, *token++);
    if (token < end && text[*token] == byte + 2) goto close;
    if (byte == '[') goto value;
key:
    if (end - token < 3 || text[*token] != '"' || text[token[2]] != ':') return 0;
    *entry++ = string(token);
    token += 3;
    goto value;
behind:
    if (depth == 0) {
        tape->count = (size_t)(entry - tape->entries);
        return token == end;
    }
    if (token >= end) return 0;
    byte = text[*token];
    if (byte == ',') {
        token++;
        if (floor_kind(*inner) == '{') goto key;
        goto value;
    }
    if (byte != floor_kind(*inner) + 2) return 0;
close:
    inner->next = (uint64_t)(entry - tape->entries);
    inner->place += (uint64_t)(*token++ - floor_start(*inner) + 1) << 32;
    if (--depth > 0) inner = open[depth - 1];
    goto behind;
}

static int make_room(floor_tape *tape, size_t length) {
    if (length <= tape->capacity) return 1;
    floor_end_tape(tape);
    // At most one token per byte, and eight that are written in excess.
    tape->tokens = malloc((length + 80) * sizeof *tape->tokens);
    tape->entries = malloc((length + 1) * sizeof *tape->entries);
    tape->capacity = tape->tokens && tape->entries ? length : 0;
    return tape->capacity == length;
}

void floor_end_tape(floor_tape *tape) {
    free(tape->tokens), free(tape->entries);
    *tape = (floor_tape){0};
}

int floor_parse(floor_tape *tape, const char *text, size_t length) {
    if (length == 0 || length >= 1 << 24 || !make_room(tape, length)) return 0;
    scan s = {0};
    uint32_t *end = find_tokens(&s, text, length, tape->tokens);
    if (s.wrong || s.in_string) return 0;
    if (s.beyond_ascii && !is_utf8((const uint8_t *)text, length)) return 0;
    *end = 0;
    if (!put_entries(tape, text, length, end)) return 0;
    for (size_t i = 0; s.has_escapes && i < tape->count; i++) {
        floor_entry entry = tape->entries[i];
        if (floor_kind(entry) != '"') continue;
        if (!has_sound_escapes(text + floor_start(entry), floor_length(entry))) return 0;
    }
    return 1;
}

size_t floor_json_tape(const floor_documents *documents) {
    floor_tape tape = {0};
    size_t entries = 0;
    for (size_t i = 0; i < documents->count; i++) {
        if (!floor_parse(&tape, documents->bodies[i], documents->body_lengths[i])) {
            entries = 0;
            break;
        }
        entries += tape.count;
    }
    floor_end_tape(&tape);
    return entries;
}
