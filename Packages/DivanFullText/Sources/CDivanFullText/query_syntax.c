#include "full_text.h"

#include <string.h>

// The words of a full-text condition are parsed here and written anew for FTS5, quoted:
//
//   any   = all { OR all }
//   all   = minus { [ AND ] minus }
//   minus = near { NOT near }
//   near  = term { NEAR [ "/" number ] term }
//   term  = "(" any ")" | [ column ":" ] [ "^" ] ( word [ "*" ] | '"' words '"' )
//
// Operators are in capitals; punctuation separates words.

/// Parentheses inside each other.
enum { depth_limit = 64 };

typedef struct {
    const char *at;
    const char *end;
    /// Names of columns, each followed by a zero byte.
    const char *columns;
    int columns_count;
    sqlite3_str *output;
    int depth;
    const char *problem;
} parser;

/// Whether a byte belongs to a word; what is beyond ASCII is left to the tokenizer.
static bool is_word(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
        || (byte >= '0' && byte <= '9') || byte == '_' || (unsigned char)byte >= 0x80;
}

static void skip_space(parser *parser) {
    while (parser->at < parser->end) {
        char byte = *parser->at;
        if (is_word(byte) || byte == '"' || byte == '(' || byte == ')' || byte == '^') return;
        parser->at++;
    }
}

/// Passes an operator, which stands as a word of its own.
static bool passes(parser *parser, const char *operator) {
    size_t count = strlen(operator);
    skip_space(parser);
    if ((size_t)(parser->end - parser->at) < count) return false;
    if (memcmp(parser->at, operator, count) != 0) return false;
    const char *behind = parser->at + count;
    if (behind < parser->end && is_word(*behind)) return false;
    parser->at = behind;
    return true;
}

static bool has_operator(parser *parser, const char *operator) {
    const char *at = parser->at;
    bool is_there = passes(parser, operator);
    parser->at = at;
    return is_there;
}

static bool ends_term(parser *parser) {
    skip_space(parser);
    return parser->at >= parser->end || *parser->at == ')';
}

static void append_quoted(parser *parser, const char *text, int count) {
    sqlite3_str_appendchar(parser->output, 1, '"');
    sqlite3_str_append(parser->output, text, count);
    sqlite3_str_appendchar(parser->output, 1, '"');
}

/// Passes `name:` of a column, and writes the column's name in the table.
static void parse_column(parser *parser) {
    const char *start = parser->at, *at = start;
    while (at < parser->end && (is_word(*at) || *at == '.')) at++;
    if (at == start || at >= parser->end || *at != ':') return;
    const char *name = parser->columns;
    int number = 0;
    while (name < parser->columns + parser->columns_count) {
        size_t count = strlen(name);
        if (count == (size_t)(at - start) && sqlite3_strnicmp(name, start, (int)count) == 0) {
            sqlite3_str_appendf(parser->output, "c%d : ", number);
            parser->at = at + 1;
            return;
        }
        name += count + 1;
        number++;
    }
}

static void parse_any(parser *parser);

static void parse_phrase(parser *parser) {
    const char *start = ++parser->at;
    while (parser->at < parser->end && *parser->at != '"') parser->at++;
    if (parser->at >= parser->end) {
        parser->problem = "a quotation mark is not closed";
        return;
    }
    append_quoted(parser, start, (int)(parser->at++ - start));
}

static void parse_word(parser *parser) {
    const char *start = parser->at;
    while (parser->at < parser->end && is_word(*parser->at)) parser->at++;
    append_quoted(parser, start, (int)(parser->at - start));
    if (parser->at < parser->end && *parser->at == '*') {
        sqlite3_str_appendchar(parser->output, 1, '*');
        parser->at++;
    }
}

static void parse_term(parser *parser) {
    skip_space(parser);
    if (parser->problem) return;
    if (parser->at < parser->end && *parser->at == '(') {
        parser->at++;
        if (++parser->depth > depth_limit) {
            parser->problem = "too many parentheses";
            return;
        }
        sqlite3_str_appendchar(parser->output, 1, '(');
        parse_any(parser);
        sqlite3_str_appendchar(parser->output, 1, ')');
        parser->depth--;
        skip_space(parser);
        if (parser->at >= parser->end || *parser->at != ')')
            parser->problem = "a parenthesis is not closed";
        else
            parser->at++;
        return;
    }
    parse_column(parser);
    skip_space(parser);
    if (parser->at < parser->end && *parser->at == '^') {
        sqlite3_str_appendall(parser->output, "^ ");
        parser->at++;
        skip_space(parser);
    }
    if (parser->at < parser->end && *parser->at == '"') parse_phrase(parser);
    else if (parser->at < parser->end && is_word(*parser->at)) parse_word(parser);
    else parser->problem = "a word is missing";
}

/// Passes `NEAR` or `NEAR/number`.
static bool passes_near(parser *parser, int *distance) {
    const char *before = parser->at;
    *distance = 10;
    if (!passes(parser, "NEAR")) return false;
    if (parser->at < parser->end && *parser->at == '/') {
        const char *at = parser->at + 1;
        int number = 0;
        while (at < parser->end && *at >= '0' && *at <= '9' && number < 100000)
            number = number * 10 + (*at++ - '0');
        if (at == parser->at + 1) {
            parser->at = before;
            return false;
        }
        *distance = number;
        parser->at = at;
    }
    return true;
}

static void parse_near(parser *parser) {
    sqlite3_str *output = parser->output;
    sqlite3_str *terms = sqlite3_str_new(NULL);
    int distance = 10, farthest = -1;
    parser->output = terms;
    parse_term(parser);
    while (!parser->problem && passes_near(parser, &distance)) {
        if (distance > farthest) farthest = distance;
        sqlite3_str_appendchar(terms, 1, ' ');
        parse_term(parser);
    }
    parser->output = output;
    const char *text = sqlite3_str_value(terms);
    if (farthest >= 0) sqlite3_str_appendf(output, "NEAR(%s, %d)", text ? text : "", farthest);
    else if (text) sqlite3_str_append(output, text, sqlite3_str_length(terms));
    sqlite3_free(sqlite3_str_finish(terms));
}

static void parse_minus(parser *parser) {
    parse_near(parser);
    while (!parser->problem && passes(parser, "NOT")) {
        sqlite3_str_appendall(parser->output, " NOT ");
        parse_near(parser);
    }
}

static void parse_all(parser *parser) {
    sqlite3_str_appendchar(parser->output, 1, '(');
    parse_minus(parser);
    while (!parser->problem && !ends_term(parser) && !has_operator(parser, "OR")) {
        passes(parser, "AND");
        sqlite3_str_appendall(parser->output, ") AND (");
        parse_minus(parser);
    }
    sqlite3_str_appendchar(parser->output, 1, ')');
}

static void parse_any(parser *parser) {
    parse_all(parser);
    while (!parser->problem && passes(parser, "OR")) {
        sqlite3_str_appendall(parser->output, " OR ");
        parse_all(parser);
    }
}

static void query(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    if (sqlite3_value_type(arguments[0]) != SQLITE_TEXT) {
        sqlite3_result_text(context, "\"\"", 2, SQLITE_STATIC);
        return;
    }
    parser parser = {.columns = (const char *)sqlite3_value_text(arguments[1])};
    parser.columns_count = sqlite3_value_bytes(arguments[1]);
    parser.at = (const char *)sqlite3_value_text(arguments[0]);
    parser.end = parser.at + sqlite3_value_bytes(arguments[0]);
    parser.output = sqlite3_str_new(sqlite3_context_db_handle(context));
    skip_space(&parser);
    if (parser.at < parser.end) parse_any(&parser);
    else sqlite3_str_appendall(parser.output, "\"\"");
    skip_space(&parser);
    if (!parser.problem && parser.at < parser.end) parser.problem = "a parenthesis is not opened";
    int length = sqlite3_str_length(parser.output);
    char *text = sqlite3_str_finish(parser.output);
    if (parser.problem) {
        char *message = sqlite3_mprintf("malformed full-text query: %s", parser.problem);
        sqlite3_result_error(context, message ? message : parser.problem, -1);
        sqlite3_free(message);
        sqlite3_free(text);
    } else if (text) {
        sqlite3_result_text(context, text, length, sqlite3_free);
    } else {
        sqlite3_result_error_nomem(context);
    }
}

int divan_add_query_syntax(sqlite3 *connection) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    return sqlite3_create_function_v2(
        connection, "divan_full_text_query1", 2, flags, NULL, query, NULL, NULL, NULL);
}
