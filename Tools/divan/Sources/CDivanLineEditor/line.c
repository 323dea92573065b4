#define _GNU_SOURCE
#if !__has_include(<editline/readline.h>)
#error "Divan needs the headers of libedit: type  sudo apt-get install libedit-dev"
#endif

#include "CDivanLineEditor.h"

#include <editline/readline.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// libedit under the interface of readline. All of it belongs to the one thread that reads lines.

static char **words;
static size_t word_count;

/// The next word that begins with a text, whatever the case of its letters.
static char *next_word(const char *text, int state) {
    static size_t at;
    if (state == 0) at = 0;
    size_t count = strlen(text);
    while (at < word_count) {
        const char *word = words[at++];
        if (strncasecmp(word, text, count) == 0) return strdup(word);
    }
    return NULL;
}

static char **complete(const char *text, int start, int end) {
    (void)start;
    (void)end;
    // No names of files where nothing else fits.
    rl_attempted_completion_over = 1;
    return rl_completion_matches(text, next_word);
}

char *divan_line_read(const char *prompt) {
    rl_readline_name = "divan";
    rl_attempted_completion_function = complete;
    return readline(prompt);
}

void divan_line_remember(const char *line) { add_history(line); }

void divan_line_load(const char *path) {
    using_history();
    read_history(path);
}

int divan_line_save(const char *path, int count) {
    // Made first, so that no other user can read it for a moment.
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return -1;
    close(file);
    stifle_history(count);
    return write_history(path) == 0 ? 0 : -1;
}

void divan_line_set_words(const char *const *new_words, size_t count) {
    for (size_t index = 0; index < word_count; index++) free(words[index]);
    free(words);
    word_count = 0;
    words = calloc(count ? count : 1, sizeof *words);
    if (!words) return;
    for (size_t index = 0; index < count; index++) {
        char *copy = strdup(new_words[index]);
        if (copy) words[word_count++] = copy;
    }
}
