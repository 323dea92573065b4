#include "full_text.h"

#include <string.h>

// The words of a full-text condition are parsed here and rewritten for FTS5, quoted:
//
//   any   = all { OR all }
//   all   = minus { [ AND ] minus }
//   minus = near { [ AND ] NOT near }
//   near  = term { NEAR [ "/" number ] term }
//   term  = "(" [ any ] ")" | [ column ":" ] [ "^" ] ( word [ "*" ] | '"' words [ "*" ] '"' )
//
// Operators are in upper case and stand apart; any character other than a letter or digit separates words.
// Anything without a word in the index, such as signs and stop words, is left out, with the parentheses
// around it. NEAR applies to each two adjacent terms, in one column and one place; FTS5 has it only between
// words and phrases.

/// Signs and parts that are not finished yet, of the hundred that FTS5 can keep: the deepest word or
/// phrase takes a few.
enum { unfinished_limit = 90 };

/// Words of a query, including those of phrases: each is looked up in each row that has the others, and a
/// rank goes through all rows of each in one step, which cannot be interrupted.
enum { word_limit = 1000 };

/// The most words between two that are near each other.
enum { farthest = 1000000000 };

typedef struct {
    const char *start;
    const char *at;
    const char *end;
    /// For each byte of the text, whether it belongs to a word.
    const char *is_word;
    /// The same, until it is complete.
    char *symbols;
    /// Names of columns, each followed by a zero byte.
    const char *columns;
    int columns_count;
    divan_cutter *cutter;
    sqlite3_str *output;
    int unfinished_count;
    int word_count;
    const char *problem;
} parser;

static bool is_word(const parser *parser, const char *at) {
    return at < parser->end && parser->is_word[at - parser->start];
}

/// Whether operators and column names may be next to a byte: `R_OR_D` has none, nor does `either-OR`.
static bool is_apart(const parser *parser, const char *at) {
    unsigned char byte = (unsigned char)*at;
    return !is_word(parser, at) && (byte <= ' ' || byte >= 0x80 || strchr("\"()^*", byte));
}

static bool begins_apart(const parser *parser) {
    return parser->at == parser->start || is_apart(parser, parser->at - 1);
}

/// The position after `name:` if a column is named here, with its number; else null.
static const char *behind_column(const parser *parser, int *number) {
    const char *name = parser->columns;
    if (!begins_apart(parser)) return NULL;
    *number = 0;
    while (name < parser->columns + parser->columns_count) {
        size_t count = strlen(name);
        const char *at = parser->at + count;
        if (count > 0 && (size_t)(parser->end - parser->at) > count && *at == ':'
            && sqlite3_strnicmp(name, parser->at, (int)count) == 0)
            return at + 1;
        name += count + 1;
        ++*number;
    }
    return NULL;
}

static void skip_space(parser *parser) {
    int number;
    while (parser->at < parser->end) {
        const char *at = parser->at;
        if (is_word(parser, at) || *at == '"' || *at == '(' || *at == ')') return;
        // Anywhere else it is an ordinary sign.
        if (*at == '^' && at + 1 < parser->end && (is_word(parser, at + 1) || at[1] == '"')) return;
        if (behind_column(parser, &number)) return;
        parser->at++;
    }
}

/// The position after a text that comes next as a separate word; null for any other text.
static const char *behind(parser *parser, const char *text) {
    size_t count = strlen(text);
    skip_space(parser);
    if ((size_t)(parser->end - parser->at) < count || !begins_apart(parser)) return NULL;
    return memcmp(parser->at, text, count) == 0 ? parser->at + count : NULL;
}

static bool ends_apart(const parser *parser, const char *at) {
    // `OR*` is the beginning of a word.
    return at >= parser->end || (*at != '*' && is_apart(parser, at));
}

/// Skips an operator, which must be a separate word.
static bool passes(parser *parser, const char *operator) {
    const char *at = behind(parser, operator);
    if (!at || !ends_apart(parser, at)) return false;
    parser->at = at;
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

typedef void (*part)(parser *);

/// Writes a part, after `operator` if there is another one before it; a part without words is left out.
static void write_part(parser *parser, part part, const char *operator, bool *is_there) {
    sqlite3_str *output = parser->output;
    // What precedes the operator, and the operator.
    int before_count = *is_there ? 2 : 0;
    parser->unfinished_count += before_count;
    parser->output = sqlite3_str_new(NULL);
    part(parser);
    parser->unfinished_count -= before_count;
    if (sqlite3_str_errcode(parser->output) != SQLITE_OK) parser->problem = "out of memory";
    int count = sqlite3_str_length(parser->output);
    if (count > 0) {
        if (*is_there) sqlite3_str_appendall(output, operator);
        sqlite3_str_append(output, sqlite3_str_value(parser->output), count);
        *is_there = true;
    }
    sqlite3_free(sqlite3_str_finish(parser->output));
    parser->output = output;
}

static void parse_any(parser *parser);

static void parse_group(parser *parser) {
    parser->at++;
    if (++parser->unfinished_count > unfinished_limit) {
        parser->problem = "parentheses are nested too deeply";
        return;
    }
    if (!ends_term(parser)) {
        bool is_there = false;
        sqlite3_str_appendchar(parser->output, 1, '(');
        write_part(parser, parse_any, "", &is_there);
        if (is_there) sqlite3_str_appendchar(parser->output, 1, ')');
        else sqlite3_str_reset(parser->output);
    }
    parser->unfinished_count--;
    if (parser->problem) return;
    skip_space(parser);
    if (parser->at >= parser->end || *parser->at != ')')
        parser->problem = "unclosed parenthesis";
    else
        parser->at++;
}

/// A quoted word or phrase, with what precedes it; or an expression in parentheses.
typedef struct term {
    /// The number of its column; -1 for any.
    int column;
    bool is_first;
    bool is_group;
    /// Empty if it contains no word.
    sqlite3_str *words;
    int count;
} term;

static void quote(parser *parser, term *term, const char *start, const char *end, bool is_prefix) {
    // An empty phrase would be one that no row has.
    int code =
        divan_count_words(parser->cutter, start, (int)(end - start), is_prefix, &term->count);
    if (code != SQLITE_OK) parser->problem = "out of memory";
    if (term->count > word_limit - parser->word_count) parser->problem = "more than 1,000 words";
    if (parser->problem || term->count == 0) return;
    parser->word_count += term->count;
    sqlite3_str_appendchar(term->words, 1, '"');
    for (const char *at = start; at < end; at++) {
        // FTS5 would take a zero byte for the end.
        size_t length = strnlen(at, (size_t)(end - at));
        sqlite3_str_append(term->words, at, (int)length);
        at += length;
        if (at < end) sqlite3_str_appendchar(term->words, 1, ' ');
    }
    sqlite3_str_appendall(term->words, is_prefix ? "\" *" : "\"");
}

static void parse_phrase(parser *parser, term *term) {
    const char *start = ++parser->at;
    bool has_words = false, is_prefix = false;
    for (; parser->at < parser->end && *parser->at != '"'; parser->at++) {
        if (is_word(parser, parser->at)) {
            has_words = true;
            is_prefix = false;
        } else if (*parser->at == '*' && parser->at > start && is_word(parser, parser->at - 1)) {
            // FTS5 allows it only after the last word; before another one it is a sign.
            is_prefix = true;
        }
    }
    if (parser->at >= parser->end) {
        parser->problem = "unclosed quotation mark";
        return;
    }
    if (has_words) quote(parser, term, start, parser->at, is_prefix);
    parser->at++;
}

static void parse_word(parser *parser, term *term) {
    const char *start = parser->at;
    while (is_word(parser, parser->at)) parser->at++;
    bool is_prefix = parser->at < parser->end && *parser->at == '*';
    quote(parser, term, start, parser->at, is_prefix);
    parser->at += is_prefix;
}

/// Skips `NEAR` or `NEAR/number`.
static bool passes_near(parser *parser, int *distance) {
    *distance = 10;
    if (passes(parser, "NEAR")) return true;
    const char *digits = behind(parser, "NEAR/"), *at = digits;
    if (!digits) return false;
    int number = 0;
    for (; at < parser->end && *at >= '0' && *at <= '9'; at++)
        if (number < 100000) number = number * 10 + (*at - '0');
    if (at == digits || !ends_apart(parser, at)) return false;
    *distance = number;
    parser->at = at;
    return true;
}

/// Reports an operator where a term must begin: taken for a word, `NOT` would be a stop word and vanish.
static void refuse_operator(parser *parser) {
    const char *at = parser->at;
    int distance;
    if (passes(parser, "AND"))
        parser->problem = "AND requires words before and after it: write a AND b";
    else if (passes(parser, "OR"))
        parser->problem = "OR requires words before and after it: write a OR b";
    else if (passes(parser, "NOT"))
        parser->problem = "NOT requires words before it: write a NOT b";
    else if (passes_near(parser, &distance))
        parser->problem = "NEAR requires words before and after it: write a NEAR b";
    parser->at = at;
}

static void parse_term(parser *parser, term *term) {
    *term = (struct term){.column = -1, .words = sqlite3_str_new(NULL)};
    skip_space(parser);
    if (!parser->problem) refuse_operator(parser);
    if (parser->problem) return;
    if (parser->at < parser->end && *parser->at == '(') {
        term->is_group = true;
        sqlite3_str *output = parser->output;
        parser->output = term->words;
        parse_group(parser);
        parser->output = output;
        return;
    }
    const char *named = behind_column(parser, &term->column);
    if (named) parser->at = named;
    else term->column = -1;
    skip_space(parser);
    term->is_first = parser->at < parser->end && *parser->at == '^';
    if (term->is_first) parser->at++;
    if (parser->at < parser->end && *parser->at == '"') parse_phrase(parser, term);
    else if (is_word(parser, parser->at)) parse_word(parser, term);
    else parser->problem = "missing word";
}

static bool has_words(const term *term) {
    return sqlite3_str_length(term->words) > 0;
}

static void write_term(parser *parser, const term *term) {
    if (!has_words(term)) return;
    if (term->column >= 0) sqlite3_str_appendf(parser->output, "c%d : ", term->column);
    if (term->is_first) sqlite3_str_appendall(parser->output, "^ ");
    sqlite3_str_appendall(parser->output, sqlite3_str_value(term->words));
}

/// Frees the text of a term.
static void drop(parser *parser, term *term) {
    if (sqlite3_str_errcode(term->words) != SQLITE_OK) parser->problem = "out of memory";
    sqlite3_free(sqlite3_str_finish(term->words));
}

/// Terms near each other, as far as they have been read.
typedef struct {
    /// `NEAR(…)` of each two.
    sqlite3_str *pairs;
    int count;
    /// All of them, within `reach` words: the pairs alone may be in different places.
    sqlite3_str *all;
    int64_t reach;
    /// The column that a term names; -1 if none does.
    int column;
    bool is_in_two_columns;
} chain;

static void note_column(chain *chain, int column) {
    if (chain->column >= 0 && column >= 0 && chain->column != column) chain->is_in_two_columns = true;
    if (column >= 0) chain->column = column;
}

static void add_pair(parser *parser, chain *chain, const term *left, const term *right, int distance) {
    if (left->is_group || right->is_group)
        parser->problem = "NEAR combines words and phrases, not parentheses";
    else if (left->is_first || right->is_first)
        parser->problem = "^ cannot be combined with NEAR";
    if (parser->problem) return;
    note_column(chain, left->column);
    note_column(chain, right->column);
    if (chain->count == 0) {
        sqlite3_str_appendall(chain->all, sqlite3_str_value(left->words));
    } else {
        sqlite3_str_appendall(chain->pairs, " AND ");
        chain->reach += left->count;
    }
    chain->count++;
    chain->reach += distance;
    sqlite3_str_appendf(chain->all, " %s", sqlite3_str_value(right->words));
    sqlite3_str_appendf(
        chain->pairs, "NEAR(%s %s, %d)", sqlite3_str_value(left->words),
        sqlite3_str_value(right->words), distance);
}

static void write_chain(parser *parser, const chain *chain) {
    if (chain->column >= 0) sqlite3_str_appendf(parser->output, "c%d : ", chain->column);
    sqlite3_str_appendchar(parser->output, 1, '(');
    sqlite3_str_append(
        parser->output, sqlite3_str_value(chain->pairs), sqlite3_str_length(chain->pairs));
    if (chain->count > 1) {
        int reach = chain->reach < farthest ? (int)chain->reach : farthest;
        sqlite3_str_appendf(
            parser->output, " AND NEAR(%s, %d)", sqlite3_str_value(chain->all), reach);
    }
    sqlite3_str_appendchar(parser->output, 1, ')');
}

static void parse_near(parser *parser) {
    chain chain = {.pairs = sqlite3_str_new(NULL), .all = sqlite3_str_new(NULL), .column = -1};
    term left, right;
    int distance;
    parse_term(parser, &left);
    while (!parser->problem && passes_near(parser, &distance)) {
        parse_term(parser, &right);
        if (!parser->problem && has_words(&left) && has_words(&right))
            add_pair(parser, &chain, &left, &right, distance);
        // A term without words is left out.
        term rest = has_words(&right) ? left : right;
        if (has_words(&right)) left = right;
        drop(parser, &rest);
    }
    // Words of two columns are never near each other.
    if (chain.is_in_two_columns) sqlite3_str_appendall(parser->output, "\"\"");
    else if (chain.count > 0) write_chain(parser, &chain);
    else write_term(parser, &left);
    drop(parser, &left);
    if (sqlite3_str_errcode(chain.pairs) != SQLITE_OK || sqlite3_str_errcode(chain.all) != SQLITE_OK)
        parser->problem = "out of memory";
    sqlite3_free(sqlite3_str_finish(chain.pairs));
    sqlite3_free(sqlite3_str_finish(chain.all));
}

/// Skips `NOT`, or `AND NOT`, which people write and which means the same.
static bool passes_not(parser *parser) {
    const char *at = parser->at;
    passes(parser, "AND");
    if (passes(parser, "NOT")) return true;
    parser->at = at;
    return false;
}

static void parse_minus(parser *parser) {
    bool is_there = false;
    write_part(parser, parse_near, "", &is_there);
    while (!parser->problem && passes_not(parser)) {
        // Without words, nothing is found.
        if (!is_there) sqlite3_str_appendall(parser->output, "\"\"");
        is_there = true;
        write_part(parser, parse_near, " NOT ", &is_there);
    }
}

/// NOT binds tighter than AND, and AND tighter than OR, as in FTS5.
static void parse_all(parser *parser) {
    bool is_there = false;
    write_part(parser, parse_minus, "", &is_there);
    while (!parser->problem && !ends_term(parser) && !has_operator(parser, "OR")) {
        passes(parser, "AND");
        write_part(parser, parse_minus, " AND ", &is_there);
    }
}

static void parse_any(parser *parser) {
    bool is_there = false;
    write_part(parser, parse_all, "", &is_there);
    while (!parser->problem && passes(parser, "OR"))
        write_part(parser, parse_all, " OR ", &is_there);
}

/// Parses a whole text; the output is empty if it has no word.
static void parse(parser *parser) {
    bool is_there = false;
    if (!ends_term(parser)) write_part(parser, parse_any, "", &is_there);
    skip_space(parser);
    if (!parser->problem && parser->at < parser->end)
        parser->problem = "unmatched closing parenthesis";
}

static void tell(sqlite3_context *context, parser *parser) {
    if (parser->problem) {
        char *message = sqlite3_mprintf("malformed full-text query: %s", parser->problem);
        sqlite3_result_error(context, message ? message : parser->problem, -1);
        sqlite3_free(message);
    } else if (sqlite3_str_errcode(parser->output) != SQLITE_OK) {
        sqlite3_result_error_nomem(context);
    } else {
        const char *text = sqlite3_str_value(parser->output);
        sqlite3_result_text(context, text ? text : "\"\"", -1, SQLITE_TRANSIENT);
    }
}

/// Parses a text whose words are known, and sets the result.
static void parse_and_tell(sqlite3_context *context, parser *parser, sqlite3_value *tokenizer) {
    divan_cutter cutter;
    const char *name = (const char *)sqlite3_value_text(tokenizer);
    if (name && divan_makes_compatible(name))
        divan_find_symbols(parser->start, (int)(parser->end - parser->start), parser->symbols);
    int code = divan_make_cutter(
        sqlite3_user_data(context), name ? name : "", sqlite3_value_bytes(tokenizer), &cutter);
    if (code != SQLITE_OK) {
        sqlite3_result_error(context, "full-text query: no such tokenizer", -1);
        sqlite3_result_error_code(context, code);
        return;
    }
    parser->cutter = &cutter;
    parser->output = sqlite3_str_new(NULL);
    parse(parser);
    tell(context, parser);
    sqlite3_free(sqlite3_str_finish(parser->output));
    divan_free_cutter(&cutter);
}

static void query(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    if (sqlite3_value_type(arguments[0]) != SQLITE_TEXT) {
        sqlite3_result_text(context, "\"\"", 2, SQLITE_STATIC);
        return;
    }
    parser parser = {.columns = (const char *)sqlite3_value_text(arguments[1])};
    parser.columns_count = sqlite3_value_bytes(arguments[1]);
    parser.start = parser.at = (const char *)sqlite3_value_text(arguments[0]);
    int length = sqlite3_value_bytes(arguments[0]);
    char *is_word = sqlite3_malloc64((sqlite3_uint64)length + 1);
    if (!is_word || !parser.start) {
        sqlite3_free(is_word);
        sqlite3_result_error_nomem(context);
        return;
    }
    parser.end = parser.start + length;
    parser.is_word = parser.symbols = is_word;
    int code = divan_find_words(sqlite3_user_data(context), parser.start, length, is_word);
    if (code == SQLITE_OK) parse_and_tell(context, &parser, arguments[2]);
    else sqlite3_result_error_code(context, code);
    sqlite3_free(is_word);
}

int divan_add_query_syntax(sqlite3 *connection, fts5_api *api) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    divan_words *words;
    int code = divan_make_words(api, &words);
    if (code != SQLITE_OK) return code;
    // SQLite frees it in any case.
    return sqlite3_create_function_v2(
        connection, "divan_full_text_query1", 3, flags, words, query, NULL, NULL, divan_free_words);
}
