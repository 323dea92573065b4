#include "compiled.h"

#include "expression.h"
#include "pieces.h"
#include "work.h"

#include <string.h>

enum {
    /// Characters that ICU may go through for the sets of an expression: about 100 ms.
    set_work_limit = 4000000,
    /// Expressions of one connection, and bytes that they may hold; the latest is always kept.
    kept_count = 16,
    kept_bytes = 1 << 20,
    /// What ICU holds for each byte of a pattern, and for the characters of a set.
    bytes_per_byte = 64,
    bytes_per_set = 7000,
    /// Bytes that a match may use for backtracking.
    stack_limit = 1 << 20,
    /// Units of text, beyond which expressions that read ahead search it in pieces: 10,000 operations that
    /// each read all of it take 100 ms. Comparing with a group takes longer in pieces.
    whole_text_limit = 8192,
    whole_text_limit_of_references = 40000,
};

struct divan_compilations {
    int users;
    /// The latest first.
    divan_compiled *first;
};

divan_compilations *divan_make_compilations(void) {
    divan_compilations *made = sqlite3_malloc(sizeof *made);
    if (made) *made = (divan_compilations){.users = 1};
    return made;
}

divan_compilations *divan_retain_compilations(divan_compilations *compilations) {
    compilations->users++;
    return compilations;
}

static void drop(divan_compiled *compiled) {
    uregex_close(compiled->expression);
    sqlite3_free(compiled);
}

void divan_release_compilations(void *data) {
    divan_compilations *compilations = data;
    if (--compilations->users > 0) return;
    while (compilations->first) {
        divan_compiled *dropped = compilations->first;
        compilations->first = dropped->next;
        drop(dropped);
    }
    sqlite3_free(compilations);
}

/// Takes an expression out of the list; null if it is not there.
static divan_compiled *take(divan_compilations *compilations, divan_slice pattern) {
    for (divan_compiled **place = &compilations->first; *place; place = &(*place)->next) {
        divan_compiled *known = *place;
        if (known->count != divan_count(pattern)) continue;
        if (memcmp(known->pattern, pattern.start, (size_t)known->count) != 0) continue;
        *place = known->next;
        return known;
    }
    return NULL;
}

/// Puts an expression at the beginning, and drops the oldest beyond the limits.
static void keep(divan_compilations *compilations, divan_compiled *kept) {
    kept->next = compilations->first;
    compilations->first = kept;
    int count = 1;
    int64_t held = kept->held;
    for (divan_compiled **place = &kept->next; *place;) {
        divan_compiled *other = *place;
        held += other->held;
        if (++count <= kept_count && held <= kept_bytes) {
            place = &other->next;
        } else {
            *place = other->next;
            drop(other);
        }
    }
}

static bool has_reference(divan_slice text) {
    for (const uint8_t *at = text.start; text.end - at > 1; at++) {
        if (*at != '\\') continue;
        at++;
        if ((*at >= '1' && *at <= '9') || *at == 'k') return true;
    }
    return false;
}

/// Whether an expression may have a lookaround, an atomic group or a possessive loop.
static bool has_lookaround(divan_slice text) {
    for (const uint8_t *at = text.start; text.end - at > 1; at++) {
        bool is_group = text.end - at > 2 && at[0] == '(' && at[1] == '?' && memchr("=!<>", at[2], 4);
        bool is_possessive = at[1] == '+' && memchr("*+?}", at[0], 4);
        if (is_group || is_possessive) return true;
    }
    return false;
}

/// Called by ICU for each position where a match may begin.
static UBool U_CALLCONV may_advance(const void *context, int64_t position) {
    // A match may have read the rest of the text, sixteen units in a nanosecond at best.
    return divan_work(1 + (((const divan_compiled *)context)->text_count - position) / 16);
}

/// Called by ICU after 10,000 operations.
static UBool U_CALLCONV may_continue(const void *context, int32_t steps) {
    (void)context;
    (void)steps;
    return divan_work_long();
}

static void limit(divan_compiled *compiled, UErrorCode *error) {
    uregex_setStackLimit(compiled->expression, stack_limit, error);
    uregex_setMatchCallback(compiled->expression, may_continue, compiled, error);
    uregex_setFindProgressCallback(compiled->expression, may_advance, compiled, error);
}

/// An expression that is not compiled yet. SQLite's allocator also counts what ICU is going to hold for it.
static divan_compiled *reserve(divan_slice pattern, int64_t set_count) {
    int64_t count = divan_count(pattern);
    int64_t held = (int64_t)sizeof(divan_compiled) + count * (1 + bytes_per_byte) + set_count * bytes_per_set;
    divan_compiled *made = sqlite3_malloc64((sqlite3_uint64)held);
    if (!made) return NULL;
    *made = (divan_compiled){.count = count, .held = held};
    memcpy(made->pattern, pattern.start, (size_t)count);
    made->has_reference = has_reference(pattern);
    made->reads_ahead = made->has_reference || has_lookaround(pattern);
    return made;
}

/// Compiles a pattern that is spelled in ICU's syntax.
static divan_compilation
compile(divan_slice pattern, divan_slice spelled, int64_t set_count, divan_compiled **compiled, UErrorCode *error) {
    divan_wide wide;
    UParseError place;
    if (!divan_widen(&wide, spelled)) return divan_no_memory;
    divan_compiled *made = reserve(pattern, set_count);
    if (made && divan_work_long()) {
        made->expression = uregex_open(wide.units, wide.count, 0, &place, error);
        limit(made, error);
    } else {
        *error = U_REGEX_STOPPED_BY_CALLER;
    }
    divan_free_wide(&wide);
    if (!made) return divan_no_memory;
    *compiled = made;
    if (U_SUCCESS(*error)) return divan_compiles;
    if (made->expression) uregex_close(made->expression);
    sqlite3_free(made);
    return divan_malformed;
}

divan_compilation divan_compile(
    divan_compilations *compilations, divan_slice pattern, divan_compiled **compiled, UErrorCode *error) {
    if (divan_count(pattern) > divan_pattern_limit) return divan_pattern_too_long;
    divan_compilation outcome = divan_compiles;
    *compiled = take(compilations, pattern);
    if (!*compiled) {
        sqlite3_str *output = sqlite3_str_new(NULL);
        divan_set_work work = divan_append_expression(output, pattern);
        const uint8_t *start = (const uint8_t *)sqlite3_str_value(output);
        divan_slice spelled = {start, start ? start + sqlite3_str_length(output) : start};
        if (work.characters > set_work_limit) outcome = divan_sets_too_large;
        else if (!start || sqlite3_str_errcode(output) != SQLITE_OK) outcome = divan_no_memory;
        else outcome = compile(pattern, spelled, work.sets, compiled, error);
        sqlite3_free(sqlite3_str_finish(output));
    }
    if (outcome == divan_compiles) keep(compilations, *compiled);
    return outcome;
}

void divan_set_text(divan_compiled *compiled, const divan_wide *text, UErrorCode *error) {
    compiled->text_count = text->count;
    int32_t limit = compiled->has_reference ? whole_text_limit_of_references : whole_text_limit;
    if (!compiled->reads_ahead || text->count <= limit) {
        uregex_setText(compiled->expression, text->units, text->count, error);
        return;
    }
    UText pieces = UTEXT_INITIALIZER;
    divan_open_pieces(&pieces, text->units, text->count, error);
    uregex_setUText(compiled->expression, &pieces, error);
    utext_close(&pieces);
}

void divan_clear_text(divan_compiled *compiled) {
    static const UChar nothing[1] = {0};
    UErrorCode error = U_ZERO_ERROR;
    uregex_setText(compiled->expression, nothing, 0, &error);
}
