#ifndef DIVAN_FULL_TEXT_H
#define DIVAN_FULL_TEXT_H

#if !__has_include(<sqlite3.h>)
#error "Divan needs the headers of SQLite: type  sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// `divan1`, a tokenizer around `unicode61`: words, then stop words, then stems.
int divan_add_tokenizer(fts5_api *api);

/// `divan_rank1`: for each phrase and column hits in the row by hits in all rows, summed.
int divan_add_rank(fts5_api *api);

/// `divan_full_text_query1(words, columns)`: the reference engine's syntax as that of FTS5.
int divan_add_query_syntax(sqlite3 *connection, fts5_api *api);

/// Finds the words of a text; one for each connection.
typedef struct divan_words divan_words;

int divan_make_words(fts5_api *api, divan_words **made);

void divan_free_words(void *words);

/// Sets each byte of `is_word` to 1 where the byte of `text` belongs to a word, else to 0.
int divan_find_words(divan_words *words, const char *text, int count, char *is_word);

/// Whether a word of a language, in lower case, says too little to be indexed.
bool divan_is_stop_word(const char *language, const char *word, int count);

#endif
