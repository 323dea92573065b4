#ifndef CDIVAN_LINE_EDITOR_H
#define CDIVAN_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

/// Reads a line that a person types and may edit; null at the end. The caller frees it with `free`.
///
/// Sets `is_interrupted` if `divan_line_interrupt` ended the line, which must then be discarded.
char *divan_line_read(const char *prompt, bool *is_interrupted);

/// Ends the line that is being read, if one is. From any thread.
void divan_line_interrupt(void);

/// Remembers a line for the arrow keys.
void divan_line_remember(const char *line);

/// Loads the lines of earlier sessions from a file.
void divan_line_load(const char *path);

/// Writes the latest `count` lines to a file that only this user can read. Returns 0 on success.
int divan_line_save(const char *path, int count);

/// What the tab key completes; each kind has its own list.
enum divan_line_words {
    /// Words that may appear anywhere in a question.
    DIVAN_LINE_ANYWHERE,
    /// Words after a dot.
    DIVAN_LINE_MEMBERS,
    /// Words after FROM and JOIN.
    DIVAN_LINE_SOURCES,
    /// Whole lines for the shell, such as ".mode csv".
    DIVAN_LINE_ORDERS,
    DIVAN_LINE_KIND_COUNT
};

/// Replaces the words of a kind; they must be sorted.
void divan_line_set_words(enum divan_line_words kind, const char *const *words, size_t count);

#endif
