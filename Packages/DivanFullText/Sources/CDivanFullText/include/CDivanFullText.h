#ifndef C_DIVAN_FULL_TEXT_H
#define C_DIVAN_FULL_TEXT_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>

/// Adds the tokenizer, the rank and the functions of full-text indexes to a connection.
///
/// Returns SQLITE_OK, or the error. Must run before any statement uses a full-text index.
int divan_add_full_text(sqlite3 *connection);

/// Whether a script has no spaces between its words: Thai, Lao, Burmese, Khmer, kana, Chinese
/// characters.
int divan_has_no_blanks(unsigned int character);

/// Whether words of a language, `en` or `english`, are reduced to their stems.
int divan_has_stems(const char *language);

#endif
