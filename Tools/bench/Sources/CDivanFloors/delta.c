// Deltas in plain C: top-level members that differ, found on the tapes of two texts.
//
// Both texts are canonical, so their members are sorted and equal values are equal bytes. No
// member is removed in what the bench measures.
#include "CDivanFloors.h"
#include "tape.h"

#include <stdlib.h>
#include <string.h>

/// A text that is read member by member.
typedef struct {
    const char *text;
    floor_tape tape;
    size_t at;  // the entry of the next key
} members;

static int open_members(members *members, const char *text, size_t length) {
    members->text = text, members->at = 1;
    return floor_parse(&members->tape, text, length) && floor_kind(*members->tape.entries) == '{';
}

static int has_more(const members *members) { return members->at < members->tape.count; }

/// Where the next member's value begins and, in `length`, its bytes; a string with its quotes.
static const char *value(const members *members, size_t *length) {
    floor_entry entry = members->tape.entries[members->at + 1];
    int quote = floor_kind(entry) == '"';
    *length = floor_length(entry) + (size_t)(2 * quote);
    return members->text + floor_start(entry) - quote;
}

static void advance(members *members) {
    floor_entry entry = members->tape.entries[members->at + 1];
    int is_container = floor_kind(entry) == '{' || floor_kind(entry) == '[';
    members->at = is_container ? (size_t)entry.next : members->at + 2;
}

/// Compares the next keys of the two.
static int compare_keys(const members *one, const members *other) {
    floor_entry a = one->tape.entries[one->at], b = other->tape.entries[other->at];
    size_t shorter = floor_length(a) < floor_length(b) ? floor_length(a) : floor_length(b);
    int order = memcmp(one->text + floor_start(a), other->text + floor_start(b), shorter);
    return order ? order : (int)floor_length(a) - (int)floor_length(b);
}

/// Appends the next member.
static char *put(char *out, const members *members) {
    size_t length;
    const char *start = value(members, &length);
    floor_entry key = members->tape.entries[members->at];
    const char *quote = members->text + floor_start(key) - 1;
    if (out[-1] != '{') *out++ = ',';
    size_t size = (size_t)(start + length - quote);
    memcpy(out, quote, size);
    return out + size;
}

/// The delta from `a` to `b`.
static size_t make(members *a, members *b, char *out) {
    char *end = out;
    *end++ = '{';
    while (has_more(b)) {
        while (has_more(a) && compare_keys(a, b) < 0) advance(a);
        size_t had, has;
        int is_there = has_more(a) && compare_keys(a, b) == 0;
        const char *new = value(b, &has), *old = is_there ? value(a, &had) : NULL;
        if (!old || had != has || memcmp(old, new, has)) end = put(end, b);
        if (is_there) advance(a);
        advance(b);
    }
    *end++ = '}';
    return (size_t)(end - out);
}

/// `a` with the delta `b` applied.
static size_t apply(members *a, members *b, char *out) {
    char *end = out;
    *end++ = '{';
    while (has_more(a) || has_more(b)) {
        int order = !has_more(b) ? -1 : !has_more(a) ? 1 : compare_keys(a, b);
        end = put(end, order < 0 ? a : b);
        if (order <= 0) advance(a);
        if (order >= 0) advance(b);
    }
    *end++ = '}';
    return (size_t)(end - out);
}

size_t floor_delta(const floor_documents *from, const floor_documents *to, int applies) {
    members a = {0}, b = {0};
    size_t total = 0, capacity = 0;
    char *out = NULL;
    int ok = 1;
    for (size_t i = 0; ok && i < from->count; i++) {
        size_t needed = from->body_lengths[i] + to->body_lengths[i] + 2;
        if (needed > capacity) free(out), out = malloc(capacity = needed);
        ok = out && open_members(&a, from->bodies[i], from->body_lengths[i]) &&
             open_members(&b, to->bodies[i], to->body_lengths[i]);
        if (ok) total += applies ? apply(&a, &b, out) : make(&a, &b, out);
    }
    floor_end_tape(&a.tape), floor_end_tape(&b.tape);
    free(out);
    return ok ? total : 0;
}
