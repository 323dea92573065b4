#include "json.h"

#include <limits.h>

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
