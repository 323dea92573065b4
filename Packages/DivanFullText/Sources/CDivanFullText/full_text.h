#ifndef DIVAN_FULL_TEXT_H
#define DIVAN_FULL_TEXT_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// `divan1` to `divan5`, tokenizers around `unicode61`: words, then stop words, then stems.
int divan_add_tokenizer(fts5_api *api);

/// Whether a tokenizer, by its description in a table, takes compatible characters for the same.
bool divan_makes_compatible(const char *tokenizer);

/// Sets `normal` to a text in the form NFC or, if compatible characters count as equal, NFKC; to null if it is ASCII
/// and so is in both forms. In any case it must be freed with `sqlite3_str_finish`.
int divan_normalize(const char *text, int count, bool is_compatible, sqlite3_str **normal);

/// `divan_rank1`: the sum, over phrases and columns, of hits in the row divided by hits in all rows.
int divan_add_rank(fts5_api *api);

/// `divan_full_text_query1(words, columns, tokenizer)`: translates the reference engine's syntax to FTS5's.
int divan_add_query_syntax(sqlite3 *connection, fts5_api *api);

/// Sets the bytes of symbols that are compatible with letters or digits, such as `㎏`, to 1.
void divan_find_symbols(const char *text, int count, char *is_word);

/// Finds the words of a text; one for each connection.
typedef struct divan_words divan_words;

int divan_make_words(fts5_api *api, divan_words **made);

void divan_free_words(void *words);

/// Sets each byte of `is_word` to 1 if the byte of `text` belongs to a word, else to 0.
int divan_find_words(divan_words *words, const char *text, int count, char *is_word);

/// The tokenizer of an index.
typedef struct {
    fts5_tokenizer words;
    Fts5Tokenizer *made;
} divan_cutter;

/// Makes one from its description in the table, `divan1 en 0`; FTS5's own if that is empty.
int divan_make_cutter(divan_words *words, const char *text, int count, divan_cutter *made);

void divan_free_cutter(divan_cutter *cutter);

/// Counts the words that a text has in a query; `is_prefix` if a star follows it.
int divan_count_words(divan_cutter *cutter, const char *text, int length, bool is_prefix, int *count);

/// Words too common to be indexed.
typedef struct divan_stop_words divan_stop_words;

/// Those of a language; null if it has none. The first list was that of `divan1` and `divan2`.
const divan_stop_words *divan_find_stop_words(const char *language, bool is_first_list);

/// Whether a lower-case word is one of them.
bool divan_is_stop_word(const divan_stop_words *list, const char *word, int count);

#endif
