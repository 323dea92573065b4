#include "expression.h"

#include <string.h>

// Text that ICU takes for operators where ECMAScript has plain characters: brackets, `&&` and `--` in a class, and
// a brace that closes nothing. And what ICU reads differently: `$` would match before a last line feed, `[^]`
// and `[]` would continue after the bracket, and an empty expression is invalid. Everything else is the same.

typedef struct {
    const uint8_t *at;
    const uint8_t *end;
    sqlite3_str *output;
} reader;

static void append(reader *reader, const char *text) { sqlite3_str_appendall(reader->output, text); }

static void copy(reader *reader, int64_t count) {
    if (count > reader->end - reader->at) count = reader->end - reader->at;
    divan_append(reader->output, reader->at, count);
    reader->at += count;
}

static bool is_among(uint8_t byte, const char *bytes) { return byte != 0 && strchr(bytes, byte); }

/// The number of bytes of the escape that begins at a backslash.
static int64_t escape_count(const reader *reader) {
    int64_t rest = reader->end - reader->at;
    uint8_t sign = rest > 1 ? reader->at[1] : 0;
    if (sign == 'c') return 3;
    if (rest > 2 && reader->at[2] == '{' && is_among(sign, "xupPN")) {
        const uint8_t *brace = memchr(reader->at, '}', (size_t)rest);
        return brace ? brace + 1 - reader->at : rest;
    }
    return sign == 'x' ? 4 : sign == 'u' ? 6 : 2;
}

/// The number of bytes of `[:alpha:]`, or another name in such brackets, if one begins here in a class; else 0.
static int64_t name_count(const reader *reader) {
    if (reader->end - reader->at < 5 || !is_among(reader->at[1], ":.=")) return 0;
    const uint8_t *at = reader->at + 2;
    while (at < reader->end && *at != reader->at[1] && *at != ']') at++;
    bool ends = reader->end - at > 1 && at[0] == reader->at[1] && at[1] == ']';
    return ends ? at + 2 - reader->at : 0;
}

/// Whether a set begins here in a class; it cannot be the start or the end of a range.
static bool is_set(const reader *reader) {
    int64_t rest = reader->end - reader->at;
    if (rest > 1 && *reader->at == '\\') return is_among(reader->at[1], "dDwWsSpP");
    return rest > 0 && *reader->at == '[' && name_count(reader) > 0;
}

/// Skips a character or a set of a class.
static void pass_item(reader *reader) {
    int64_t rest = reader->end - reader->at;
    if (rest > 1 && *reader->at == '\\' && reader->at[1] == 'b') {
        // Backspace here; ICU would look for a word boundary.
        append(reader, "\\x08");
        reader->at += 2;
    } else if (rest > 0 && *reader->at == '\\') {
        copy(reader, escape_count(reader));
    } else if (is_set(reader)) {
        copy(reader, name_count(reader));
    } else {
        if (rest > 0 && is_among(*reader->at, "[&-^")) append(reader, "\\");
        do copy(reader, 1);
        while (reader->at < reader->end && (*reader->at & 0xC0) == 0x80);
    }
}

static void pass_class(reader *reader) {
    reader->at++;
    bool is_negated = reader->at < reader->end && *reader->at == '^';
    if (is_negated) reader->at++;
    if (reader->at < reader->end && *reader->at == ']') {
        append(reader, is_negated ? "[\\s\\S]" : "[^\\s\\S]");
        reader->at++;
        return;
    }
    append(reader, is_negated ? "[^" : "[");
    while (reader->at < reader->end && *reader->at != ']') {
        bool has_set = is_set(reader);
        pass_item(reader);
        if (reader->end - reader->at < 2 || reader->at[0] != '-' || reader->at[1] == ']') continue;
        // A range, or a character among others.
        reader->at++;
        append(reader, has_set || is_set(reader) ? "\\-" : "-");
        pass_item(reader);
    }
    copy(reader, 1);
}

void divan_append_expression(sqlite3_str *output, divan_slice text) {
    reader reader = {text.start, text.end, output};
    bool is_in_braces = false;
    if (text.start == text.end) append(&reader, "(?:)");
    while (reader.at < reader.end) {
        switch (*reader.at) {
        case '\\':
            copy(&reader, escape_count(&reader));
            continue;
        case '[':
            pass_class(&reader);
            continue;
        case '$':
            append(&reader, "\\z");
            reader.at++;
            continue;
        case '}':
            if (!is_in_braces) append(&reader, "\\");
            is_in_braces = false;
            break;
        case '{':
            is_in_braces = true;
            break;
        default:
            break;
        }
        copy(&reader, 1);
    }
}
