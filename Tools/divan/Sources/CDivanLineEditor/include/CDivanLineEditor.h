#ifndef CDIVAN_LINE_EDITOR_H
#define CDIVAN_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

/// Reads a line that a person types and may edit; null at the end. Freed by `free`.
///
/// `is_interrupted` becomes true when `divan_line_interrupt` ended it: then it is to be thrown away.
char *divan_line_read(const char *prompt, bool *is_interrupted);

/// Ends the line that is being read, if one is. From any thread.
void divan_line_interrupt(void);

/// Remembers a line for the arrow keys.
void divan_line_remember(const char *line);

/// Takes the lines of earlier times out of a file.
void divan_line_load(const char *path);

/// Writes the latest `count` lines into a file that only this user reads; 0 on success.
int divan_line_save(const char *path, int count);

/// What the tabulator key completes; each kind has a list of its own.
enum divan_line_words {
    /// Words that may stand anywhere in a question.
    DIVAN_LINE_ANYWHERE,
    /// Words behind a dot.
    DIVAN_LINE_MEMBERS,
    /// Words behind FROM and JOIN.
    DIVAN_LINE_SOURCES,
    /// Whole lines for the shell, such as ".mode csv".
    DIVAN_LINE_ORDERS,
    DIVAN_LINE_KIND_COUNT
};

/// Sets the words of a kind, sorted, in place of those before.
void divan_line_set_words(enum divan_line_words kind, const char *const *words, size_t count);

#endif
