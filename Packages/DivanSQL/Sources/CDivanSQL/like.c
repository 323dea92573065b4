#define _GNU_SOURCE
#include "like.h"
#include "work.h"

#include <string.h>

// A pattern is split at its `%` into runs. The first run must be at the beginning, the last one
// at the end, and each of the others is matched at its first occurrence after the previous one: that is
// always correct, so nothing is tried twice. A run without `_` is found by the C library's linear
// search; one with some is compared at each position, and `work_limit` bounds that.

/// Byte comparisons for one text.
enum { work_limit = 50000000 };

enum { any_run = 1, any_character = 2 };

/// A pattern with its escapes resolved.
typedef struct divan_pattern {
    int64_t count;
    /// For each byte 0, or the wildcard that it is.
    uint8_t *marks;
    uint8_t bytes[];
} pattern;

typedef struct {
    const pattern *pattern;
    int64_t start;
    int64_t end;
    bool has_characters;
} run;

static const uint8_t *behind_character(const uint8_t *at, const uint8_t *end) {
    at++;
    while (at < end && (*at & 0xC0) == 0x80) at++;
    return at;
}

/// The end of a run that matches at `at`, or null.
static const uint8_t *match_run(run run, const uint8_t *at, const uint8_t *end, int64_t *work) {
    for (int64_t index = run.start; index < run.end; index++) {
        *work += 1;
        if (at >= end) return NULL;
        if (run.pattern->marks[index] == any_character) at = behind_character(at, end);
        else if (*at++ != run.pattern->bytes[index]) return NULL;
    }
    return at;
}

/// The end of the first match of a run, or null.
static const uint8_t *find_run(run run, const uint8_t *at, const uint8_t *end, int64_t *work) {
    if (!run.has_characters) {
        size_t count = (size_t)(run.end - run.start);
        const uint8_t *found =
            memmem(at, (size_t)(end - at), run.pattern->bytes + run.start, count);
        return found ? found + count : NULL;
    }
    while (at <= end && *work < work_limit) {
        int64_t before = *work;
        const uint8_t *behind = match_run(run, at, end, work);
        if (!divan_work(*work - before)) return NULL;
        if (behind) return behind;
        if (at == end) return NULL;
        at = behind_character(at, end);
    }
    return NULL;
}

/// Whether a run matches at the end of the text.
static bool ends_with(run run, const uint8_t *at, const uint8_t *end, int64_t *work) {
    const uint8_t *start = end;
    for (int64_t index = run.end; index > run.start; index--) {
        if (start <= at) return false;
        start--;
        while (run.pattern->marks[index - 1] == any_character && start > at
            && (*start & 0xC0) == 0x80)
            start--;
    }
    return match_run(run, start, end, work) == end;
}

static run next_run(const pattern *pattern, int64_t start) {
    run run = {pattern, start, start, false};
    while (run.end < pattern->count && pattern->marks[run.end] != any_run) {
        run.has_characters |= pattern->marks[run.end] == any_character;
        run.end++;
    }
    return run;
}

static bool matches(const pattern *pattern, divan_slice text, int64_t *work) {
    const uint8_t *at = text.start;
    run run = next_run(pattern, 0);
    at = match_run(run, at, text.end, work);
    if (!at) return false;
    if (run.end == pattern->count) return at == text.end;
    while (*work < work_limit) {
        run = next_run(pattern, run.end + 1);
        if (run.end == pattern->count) return ends_with(run, at, text.end, work);
        at = find_run(run, at, text.end, work);
        if (!at) return false;
    }
    return false;
}

divan_pattern *divan_read_pattern(divan_slice text) {
    size_t count = (size_t)divan_count(text);
    pattern *pattern = sqlite3_malloc64(sizeof *pattern + 2 * count);
    if (!pattern) return NULL;
    pattern->marks = pattern->bytes + count;
    pattern->count = 0;
    for (const uint8_t *at = text.start; at < text.end; at++) {
        uint8_t mark = *at == '%' ? any_run : *at == '_' ? any_character : 0;
        if (*at == '\\' && text.end - at > 1) {
            at++;
            mark = 0;
        }
        pattern->bytes[pattern->count] = *at;
        pattern->marks[pattern->count++] = mark;
    }
    return pattern;
}

divan_likeness divan_like(divan_slice text, const divan_pattern *pattern) {
    int64_t work = 0;
    bool is_like = matches(pattern, text, &work);
    if (work >= work_limit) return divan_like_too_long;
    return is_like ? divan_is_like : divan_is_unlike;
}
