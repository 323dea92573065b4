#ifndef CDIVAN_LINE_EDITOR_H
#define CDIVAN_LINE_EDITOR_H

#include <stddef.h>

/// Reads a line that a person types and may edit; null at the end. Freed by `free`.
char *divan_line_read(const char *prompt);

/// Remembers a line for the arrow keys.
void divan_line_remember(const char *line);

/// Takes the lines of earlier times out of a file.
void divan_line_load(const char *path);

/// Writes the latest `count` lines into a file that only this user reads; 0 on success.
int divan_line_save(const char *path, int count);

/// Sets the words that the tabulator key completes, sorted, in place of those before.
void divan_line_set_words(const char *const *words, size_t count);

#endif
