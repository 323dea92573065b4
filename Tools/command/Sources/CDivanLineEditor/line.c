#define _GNU_SOURCE
#if !__has_include(<editline/readline.h>)
#error "The headers of libedit are missing; run: sudo apt-get install libedit-dev"
#endif

#include "CDivanLineEditor.h"

#include <ctype.h>
#include <editline/readline.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// libedit with readline's interface. Only the one thread that reads lines uses it, except
// for the pipe that `divan_line_interrupt` writes to.

static struct {
    char **words;
    size_t count;
} lists[DIVAN_LINE_KIND_COUNT];

static enum divan_line_words wanted;
/// Where the word to complete begins in the line, after leading blanks.
static size_t word_start;

static const char *line_begin(void) {
    const char *line = rl_line_buffer ? rl_line_buffer : "";
    while (isspace((unsigned char)*line)) line++;
    return line;
}

/// The next word that begins with a text, in any letter case.
static char *next_word(const char *text, int state) {
    static size_t at;
    if (state == 0) at = 0;
    size_t length = strlen(text);
    while (at < lists[wanted].count) {
        const char *word = lists[wanted].words[at++];
        if (strncasecmp(word, text, length) == 0) return strdup(word);
    }
    return NULL;
}

/// The same after the last dot, which separates a source's name from a property's.
static char *next_member(const char *text, int state) {
    static size_t at;
    if (state == 0) at = 0;
    const char *member = strrchr(text, '.') + 1;
    while (at < lists[DIVAN_LINE_MEMBERS].count) {
        const char *word = lists[DIVAN_LINE_MEMBERS].words[at++];
        if (strncasecmp(word, member, strlen(member)) != 0) continue;
        char *whole = malloc((size_t)(member - text) + strlen(word) + 1);
        if (!whole) return NULL;
        memcpy(whole, text, (size_t)(member - text));
        strcpy(whole + (member - text), word);
        return whole;
    }
    return NULL;
}

/// The next word of the lines that begin like this line.
static char *next_order(const char *text, int state) {
    static size_t at;
    static char last[64];
    if (state == 0) {
        at = 0;
        last[0] = 0;
    }
    const char *line = line_begin();
    size_t length = word_start + strlen(text);
    while (at < lists[DIVAN_LINE_ORDERS].count) {
        const char *order = lists[DIVAN_LINE_ORDERS].words[at++];
        if (strncasecmp(order, line, length) != 0 || strlen(order) < word_start) continue;
        const char *word = order + word_start;
        size_t end = strcspn(word, " ");
        if (end == 0 || end >= sizeof last) continue;
        if (strncmp(last, word, end) == 0 && last[end] == 0) continue;
        memcpy(last, word, end);
        last[end] = 0;
        return strdup(last);
    }
    return NULL;
}

/// Whether the word before an offset of the line is FROM or JOIN.
static bool is_behind_source_word(int start) {
    int end = start;
    while (end > 0 && isspace((unsigned char)rl_line_buffer[end - 1])) end--;
    if (end < 4 || end == start) return false;
    if (end > 4 && !isspace((unsigned char)rl_line_buffer[end - 5])) return false;
    const char *word = rl_line_buffer + end - 4;
    return strncasecmp(word, "FROM", 4) == 0 || strncasecmp(word, "JOIN", 4) == 0;
}

static char **complete(const char *text, int start, int end) {
    (void)end;
    // Do not complete file names where nothing else fits.
    rl_attempted_completion_over = 1;
    const char *line = line_begin();
    if (*line == '.') {
        word_start = (size_t)(rl_line_buffer + start - line);
        if (strncmp(line, ".read ", 6) == 0)
            return rl_completion_matches(text, rl_filename_completion_function);
        return rl_completion_matches(text, next_order);
    }
    wanted = is_behind_source_word(start) ? DIVAN_LINE_SOURCES : DIVAN_LINE_ANYWHERE;
    char **found = rl_completion_matches(text, next_word);
    if (found || wanted == DIVAN_LINE_SOURCES || !strchr(text, '.')) return found;
    return rl_completion_matches(text, next_member);
}

enum { CTRL_D = 4 };

static int wake[2] = {-1, -1};
static bool interrupted;

/// One typed byte, or EOF.
static int next_byte(int input) {
    unsigned char byte;
    ssize_t count;
    do count = read(input, &byte, 1);
    while (count < 0 && errno == EINTR);
    return count == 1 ? byte : EOF;
}

/// The terminal's interrupt character, Ctrl-C; -1 until the editor has the terminal.
static int interrupt_key = -1;

/// Bytes typed before the editor had the terminal, as the system received them.
static int early_count;

/// Makes Ctrl-C a key instead of a signal while a line is edited, so it stays in order with the others. The
/// editor restores it with the rest of the terminal's settings.
static void take_interrupt_key(int input) {
    struct termios state;
    if (tcgetattr(input, &state) != 0 || state.c_lflag & ICANON) return;
    if (state.c_cc[VINTR] == _POSIX_VDISABLE) return;
    interrupt_key = state.c_cc[VINTR];
    if (ioctl(input, FIONREAD, &early_count) != 0) early_count = 0;
    state.c_cc[VINTR] = _POSIX_VDISABLE;
    tcsetattr(input, TCSANOW, &state);
}

static int interrupt(void) {
    interrupted = true;
    return '\n';
}

/// The next typed character; the end of the line on an interrupt.
///
/// Ctrl-C is read in its place among the keys, so that it discards what was typed before it and nothing
/// after it. A signal has no such place: it discards everything typed, including what the editor has
/// not read yet because it was typed before the prompt.
static int next_key(FILE *stream) {
    int input = fileno(stream);
    take_interrupt_key(input);
    struct pollfd ready[2] = {{input, POLLIN, 0}, {wake[0], POLLIN, 0}};
    while (poll(ready, 2, -1) < 0) {
        if (errno != EINTR) return EOF;
    }
    if (ready[1].revents & POLLIN) {
        char byte;
        while (read(wake[0], &byte, 1) == 1) continue;
        tcflush(input, TCIFLUSH);
        early_count = 0;
        return interrupt();
    }
    bool is_early = early_count > 0;
    if (is_early) early_count--;
    int first = next_byte(input);
    if (first == interrupt_key) return interrupt();
    // What remains of a Ctrl-D that the system handled itself.
    if (is_early && first == 0) return CTRL_D;
    if (first < 0xC2 || first > 0xF4) return first;
    // The editor needs a whole character.
    int rest = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    int character = first & (0x3F >> rest);
    for (int index = 0; index < rest; index++) {
        int byte = next_byte(input);
        if (byte == EOF) return EOF;
        if (early_count > 0) early_count--;
        if ((byte & 0xC0) != 0x80) return 0xFFFD;
        character = character << 6 | (byte & 0x3F);
    }
    return character;
}

static void begin(void) {
    static bool has_begun;
    if (has_begun) return;
    has_begun = true;
    // Input and output are UTF-8, whatever the environment says.
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX < 4) setlocale(LC_CTYPE, "C.UTF-8");
    rl_readline_name = "divan";
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) == 0) rl_getc_function = next_key;
    rl_attempted_completion_function = complete;
    static char breaks[] = " \t\n\"\\'`@$><=;|&{}(),[]+-*/:!";
    rl_completer_word_break_characters = breaks;
}

char *divan_line_read(const char *prompt, bool *is_interrupted) {
    begin();
    interrupted = false;
    char *line = readline(prompt);
    *is_interrupted = interrupted;
    return line;
}

void divan_line_interrupt(void) {
    // A full pipe wakes the reader as well.
    if (wake[1] >= 0 && write(wake[1], "", 1) < 0) return;
}

void divan_line_remember(const char *line) { add_history(line); }

void divan_line_load(const char *path) {
    begin();
    using_history();
    read_history(path);
}

int divan_line_save(const char *path, int count) {
    // Created first, so that no other user can ever read it.
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return -1;
    close(file);
    stifle_history(count);
    return write_history(path) == 0 ? 0 : -1;
}

void divan_line_set_words(enum divan_line_words kind, const char *const *words, size_t count) {
    for (size_t index = 0; index < lists[kind].count; index++) free(lists[kind].words[index]);
    free(lists[kind].words);
    lists[kind].count = 0;
    lists[kind].words = calloc(count ? count : 1, sizeof *lists[kind].words);
    if (!lists[kind].words) return;
    for (size_t index = 0; index < count; index++) {
        char *copy = strdup(words[index]);
        if (copy) lists[kind].words[lists[kind].count++] = copy;
    }
}
