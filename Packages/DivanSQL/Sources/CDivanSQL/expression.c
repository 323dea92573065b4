#if !__has_include(<unicode/utf8.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "expression.h"

#include <string.h>
#include <unicode/utf8.h>

// Text that ICU takes for operators where ECMAScript has plain characters: brackets, `&&` and `--` in a class, and
// a brace that closes nothing. And what ICU reads differently: `$` would match before a last line feed, `[^]`
// and `[]` would continue after the bracket, and an empty expression is invalid. Everything else is the same.

typedef struct {
    const uint8_t *at;
    const uint8_t *end;
    sqlite3_str *output;
    /// Whether case may be ignored somewhere: each character of a set is then looked up.
    bool ignores_case;
    divan_set_work work;
} reader;

/// About as many characters as a property has, as there are without one, and what looking up a property takes.
enum { some_characters = 150000, most_characters = 1114112, property_work = 8000 };

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

/// Counts the work for a set that begins here: a property, or a name in brackets.
static void count_set(reader *reader) {
    int64_t rest = reader->end - reader->at;
    bool is_complement = is_among(reader->at[1], "DWSP") || memchr(reader->at, '^', rest < 3 ? (size_t)rest : 3);
    reader->work.sets++;
    reader->work.characters += property_work;
    if (reader->ignores_case) reader->work.characters += is_complement ? most_characters : some_characters;
}

/// The character that begins here in a class, or -1 if its number is not read here.
static int64_t character(const reader *reader) {
    const uint8_t *at = reader->at;
    int32_t place = 0, count = reader->end - at < 4 ? (int32_t)(reader->end - at) : 4;
    UChar32 point = -1;
    if (count == 0) return -1;
    if (*at != '\\') {
        U8_NEXT(at, place, count, point);
        return point;
    }
    uint8_t sign = count > 1 ? at[1] : 0;
    if (sign != 'x' && sign != 'u') return sign == 'U' || sign == 'N' || sign == 0 ? -1 : sign;
    int64_t number = 0;
    for (const uint8_t *digit = at + 2; digit < at + escape_count(reader); digit++) {
        static const char digits[] = "0123456789abcdef";
        const char *found = *digit ? strchr(digits, *digit > '9' ? *digit | 0x20 : *digit) : NULL;
        if (found && number < most_characters) number = number * 16 + (found - digits);
    }
    return number;
}

static void count_range(reader *reader, int64_t first, int64_t last) {
    if (!reader->ignores_case) return;
    bool is_known = first >= 0 && last >= first && last < most_characters;
    reader->work.characters += is_known ? last - first : most_characters;
}

/// Skips a character or a set of a class.
static void pass_item(reader *reader) {
    int64_t rest = reader->end - reader->at;
    if (rest > 1 && *reader->at == '\\' && reader->at[1] == 'b') {
        // Backspace here; ICU would look for a word boundary.
        append(reader, "\\x08");
        reader->at += 2;
    } else if (rest > 0 && *reader->at == '\\') {
        if (is_set(reader)) count_set(reader);
        copy(reader, escape_count(reader));
    } else if (is_set(reader)) {
        count_set(reader);
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
        int64_t first = character(reader);
        pass_item(reader);
        if (reader->end - reader->at < 2 || reader->at[0] != '-' || reader->at[1] == ']') continue;
        // A range, or a character among others.
        reader->at++;
        bool is_range = !has_set && !is_set(reader);
        append(reader, is_range ? "-" : "\\-");
        if (is_range) count_range(reader, first, character(reader));
        pass_item(reader);
    }
    copy(reader, 1);
}

/// Whether a flag such as `(?i)` may make an expression ignore case.
static bool ignores_case(divan_slice text) {
    for (const uint8_t *at = text.start; text.end - at > 2; at++) {
        if (at[0] != '(' || at[1] != '?') continue;
        const uint8_t *flag = at + 2;
        while (flag < text.end && (*flag == '-' || ((*flag | 0x20) >= 'a' && (*flag | 0x20) <= 'z')))
            if (*flag++ == 'i') return true;
    }
    return false;
}

divan_set_work divan_append_expression(sqlite3_str *output, divan_slice text) {
    reader reader = {text.start, text.end, output, ignores_case(text), {0, 0}};
    bool is_in_braces = false;
    if (text.start == text.end) append(&reader, "(?:)");
    while (reader.at < reader.end) {
        switch (*reader.at) {
        case '\\':
            if (text.end - reader.at > 1 && is_among(reader.at[1], "pP")) count_set(&reader);
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
    return reader.work;
}
