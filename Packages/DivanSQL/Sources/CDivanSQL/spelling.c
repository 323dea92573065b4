#include "json.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

// One spelling for each value, by which equal containers are recognized.

/// The deepest nesting of containers that is put in order; deeper ones keep their spelling. More than
/// the store accepts.
enum { depth_limit = 256 };

static int hex(uint8_t byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    uint8_t letter = byte | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// The code unit that four digits spell, or -1.
static int32_t code_unit(const uint8_t *at, const uint8_t *end) {
    if (end - at < 4) return -1;
    int32_t unit = 0;
    for (int index = 0; index < 4; index++) {
        int digit = hex(at[index]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static void append_code_point(sqlite3_str *output, uint32_t point) {
    uint8_t bytes[4];
    int count = 0;
    if (point < 0x80) {
        bytes[count++] = (uint8_t)point;
    } else {
        if (point < 0x800) {
            bytes[count++] = (uint8_t)(0xC0 | point >> 6);
        } else {
            if (point < 0x10000) {
                bytes[count++] = (uint8_t)(0xE0 | point >> 12);
            } else {
                bytes[count++] = (uint8_t)(0xF0 | point >> 18);
                bytes[count++] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
            }
            bytes[count++] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        }
        bytes[count++] = (uint8_t)(0x80 | (point & 0x3F));
    }
    divan_append(output, bytes, count);
}

/// Appends the character of the escape after a backslash; returns the position after it.
static const uint8_t *append_escape(sqlite3_str *output, const uint8_t *at, const uint8_t *end) {
    static const char letters[] = "bfnrt";
    static const uint8_t meanings[] = "\b\f\n\r\t";
    const char *letter = memchr(letters, *at, 5);
    if (letter) {
        divan_append(output, meanings + (letter - letters), 1);
        return at + 1;
    }
    if (*at != 'u') {
        divan_append(output, at, 1);
        return at + 1;
    }
    int32_t unit = code_unit(at + 1, end);
    if (unit < 0) return at + 1;
    at += 5;
    uint32_t point = (uint32_t)unit;
    if ((unit & 0xFC00) == 0xD800 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        int32_t low = code_unit(at + 2, end);
        if ((low & 0xFC00) == 0xDC00) {
            point = 0x10000 + (((uint32_t)unit & 0x3FF) << 10) + ((uint32_t)low & 0x3FF);
            at += 6;
        }
    }
    // Half of a surrogate pair is no character.
    append_code_point(output, point >= 0xD800 && point < 0xE000 ? 0xFFFD : point);
    return at;
}

void divan_append_unescaped(sqlite3_str *output, divan_slice content) {
    const uint8_t *at = content.start;
    while (at < content.end) {
        const uint8_t *escape = memchr(at, '\\', (size_t)(content.end - at));
        divan_append(output, at, (escape ? escape : content.end) - at);
        if (!escape || content.end - escape < 2) return;
        at = append_escape(output, escape + 1, content.end);
    }
}

static bool needs_escape(uint8_t byte) {
    return byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7F;
}

void divan_append_quoted(sqlite3_str *output, const uint8_t *text, int64_t count) {
    static const char digits[] = "0123456789abcdef";
    const uint8_t *end = text + count;
    divan_append(output, (const uint8_t *)"\"", 1);
    while (text < end) {
        const uint8_t *at = text;
        while (at < end && !needs_escape(*at)) at++;
        divan_append(output, text, at - text);
        if (at >= end) break;
        uint8_t escape[6] = {'\\', *at, '0', '0', '0', '0'};
        int escape_count = 2;
        switch (*at) {
            case '"': case '\\': break;
            case '\n': escape[1] = 'n'; break;
            case '\r': escape[1] = 'r'; break;
            case '\t': escape[1] = 't'; break;
            default:
                escape[1] = 'u';
                escape[4] = (uint8_t)digits[*at >> 4];
                escape[5] = (uint8_t)digits[*at & 15];
                escape_count = 6;
        }
        divan_append(output, escape, escape_count);
        text = at + 1;
    }
    divan_append(output, (const uint8_t *)"\"", 1);
}

/// Whether a string is spelled as `divan_append_quoted` would spell it.
static bool is_canonical_string(divan_slice content) {
    for (const uint8_t *at = content.start; at < content.end; at++) {
        if (*at == 0x7F) return false;
        if (*at != '\\') continue;
        at++;
        if (at >= content.end) return false;
        if (memchr("\"\\nrt", *at, 5)) continue;
        if (*at != 'u') return false;
        int32_t unit = code_unit(at + 1, content.end);
        bool is_control = unit == 0x7F
            || (unit >= 0 && unit < 0x20 && unit != '\n' && unit != '\r' && unit != '\t');
        if (!is_control) return false;
        for (int index = 1; index <= 4; index++)
            if (at[index] >= 'A' && at[index] <= 'F') return false;
        at += 4;
    }
    return true;
}

static bool is_before(divan_slice left, divan_slice right) {
    int64_t left_count = divan_count(left), right_count = divan_count(right);
    int64_t count = left_count < right_count ? left_count : right_count;
    int order = memcmp(left.start, right.start, (size_t)count);
    return order != 0 ? order < 0 : left_count < right_count;
}

static bool is_canonical(divan_slice value, int depth) {
    uint8_t first = *value.start;
    if (first == '"')
        return is_canonical_string((divan_slice){value.start + 1, value.end - 1});
    if (first != '{' && first != '[') return true;
    // Each level of containers is read once more; nobody uses the answer if the statement must stop.
    if (depth > depth_limit || !divan_work(divan_count(value))) return true;
    divan_walk walk;
    divan_slice item, last_key = {NULL, NULL};
    if (!divan_begin_walk(&walk, value)) return true;
    const uint8_t *expected = walk.at;
    while (divan_next(&walk, &item)) {
        if (walk.is_object) {
            // An escaped key is rare, and its order is not that of its spelling.
            if (walk.key_has_escapes || memchr(walk.key.start, 0x7F, (size_t)divan_count(walk.key)))
                return false;
            if (walk.key.start != expected + 1 || item.start != walk.key.end + 2) return false;
            if (last_key.start && !is_before(last_key, walk.key)) return false;
            last_key = walk.key;
        } else if (item.start != expected) {
            return false;
        }
        if (!is_canonical(item, depth + 1)) return false;
        if (walk.at < walk.end && *walk.at != ',' && *walk.at != '}' && *walk.at != ']')
            return false;
        expected = walk.at + 1;
    }
    return divan_skip_space(walk.at, walk.end) == walk.at;
}

bool divan_is_canonical(divan_slice value) {
    return divan_count(value) == 0 || is_canonical(value, 1);
}

/// A member with its key unescaped.
typedef struct {
    char *key;
    divan_slice text;
    divan_slice value;
    int64_t place;
} member;

static int compare_members(const void *left, const void *right) {
    const member *first = left, *second = right;
    if (is_before(first->text, second->text)) return -1;
    if (is_before(second->text, first->text)) return 1;
    return first->place < second->place ? -1 : 1;
}

static void append_canonical(sqlite3_str *output, divan_slice value, int depth);

static void append_object(sqlite3_str *output, divan_walk walk, int depth) {
    divan_walk counting = walk;
    divan_slice value;
    int64_t total = 0, count = 0;
    while (divan_next(&counting, &value)) total++;
    member *members = sqlite3_malloc64((sqlite3_uint64)(total + 1) * sizeof(member));
    while (members && count < total && divan_next(&walk, &value)) {
        sqlite3_str *key = sqlite3_str_new(NULL);
        divan_append_unescaped(key, walk.key);
        int64_t key_count = sqlite3_str_length(key);
        char *text = sqlite3_str_finish(key);
        const uint8_t *start = (const uint8_t *)(text ? text : "");
        members[count] = (member){text, {start, start + (text ? key_count : 0)}, value, count};
        count++;
    }
    if (members) qsort(members, (size_t)count, sizeof(member), compare_members);
    divan_append(output, (const uint8_t *)"{", 1);
    bool is_first = true;
    for (int64_t index = 0; index < count; index++) {
        const member *present = &members[index];
        bool is_last = index + 1 == count || is_before(present->text, members[index + 1].text);
        if (is_last) {  // of equal keys the last one counts
            if (!is_first) divan_append(output, (const uint8_t *)",", 1);
            is_first = false;
            divan_append_quoted(output, present->text.start, divan_count(present->text));
            divan_append(output, (const uint8_t *)":", 1);
            append_canonical(output, present->value, depth + 1);
        }
        if (sqlite3_str_errcode(output)) break;
    }
    for (int64_t index = 0; index < count; index++) sqlite3_free(members[index].key);
    sqlite3_free(members);
    divan_append(output, (const uint8_t *)"}", 1);
}

static void append_canonical(sqlite3_str *output, divan_slice value, int depth) {
    divan_walk walk;
    divan_slice item;
    if (!divan_work(divan_count(value))) return;
    if (*value.start == '"') {
        sqlite3_str *text = sqlite3_str_new(NULL);
        divan_append_unescaped(text, (divan_slice){value.start + 1, value.end - 1});
        int64_t count = sqlite3_str_length(text);
        char *content = sqlite3_str_finish(text);
        divan_append_quoted(output, (const uint8_t *)(content ? content : ""), content ? count : 0);
        sqlite3_free(content);
    } else if (depth > depth_limit || !divan_begin_walk(&walk, value)) {
        divan_append(output, value.start, divan_count(value));
    } else if (walk.is_object) {
        append_object(output, walk, depth);
    } else {
        bool is_first = true;
        divan_append(output, (const uint8_t *)"[", 1);
        while (divan_next(&walk, &item)) {
            if (!is_first) divan_append(output, (const uint8_t *)",", 1);
            is_first = false;
            append_canonical(output, item, depth + 1);
        }
        divan_append(output, (const uint8_t *)"]", 1);
    }
}

void divan_append_canonical(sqlite3_str *output, divan_slice value) {
    if (divan_count(value) > 0) append_canonical(output, value, 1);
}
