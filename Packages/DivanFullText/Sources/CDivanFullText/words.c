#include "full_text.h"

#include <string.h>

// FTS5's own tokenizer, which splits the texts of an index, determines where the words of a query are: a
// query can contain nothing that no text can. It ends a word at most combining marks, but in some scripts
// words contain them; so marks are included here, and such a word becomes a phrase of its pieces.

struct divan_words {
    fts5_api *api;
    fts5_tokenizer words;
    /// Splits like the tokenizers of indexes.
    Fts5Tokenizer *plain;
    /// Includes marks.
    Fts5Tokenizer *marked;
};

void divan_free_words(void *data) {
    divan_words *freed = data;
    if (freed->plain) freed->words.xDelete(freed->plain);
    if (freed->marked) freed->words.xDelete(freed->marked);
    sqlite3_free(freed);
}

int divan_make_words(fts5_api *api, divan_words **made) {
    *made = sqlite3_malloc(sizeof **made);
    if (!*made) return SQLITE_NOMEM;
    memset(*made, 0, sizeof **made);
    divan_words *words = *made;
    words->api = api;
    void *data = NULL;
    int code = api->xFindTokenizer(api, "unicode61", &data, &words->words);
    if (code == SQLITE_OK) code = words->words.xCreate(data, NULL, 0, &words->plain);
    const char *arguments[] = {"categories", "L* N* Co M*"};
    if (code == SQLITE_OK) code = words->words.xCreate(data, arguments, 2, &words->marked);
    if (code != SQLITE_OK) divan_free_words(words);
    return code;
}

typedef struct {
    divan_words *words;
    const char *text;
    char *is_word;
} search;

static int note_any(void *data, int flags, const char *word, int count, int start, int end) {
    (void)flags;
    (void)word;
    (void)count;
    (void)start;
    (void)end;
    *(bool *)data = true;
    return SQLITE_OK;
}

/// Records a word, unless it consists only of marks.
static int note_word(void *data, int flags, const char *word, int count, int start, int end) {
    (void)word;
    (void)count;
    search *search = data;
    divan_words *words = search->words;
    bool is_word = false;
    int code = words->words.xTokenize(
        words->plain, &is_word, flags, search->text + start, end - start, note_any);
    if (is_word) memset(search->is_word + start, 1, (size_t)(end - start));
    return code;
}

int divan_find_words(divan_words *words, const char *text, int count, char *is_word) {
    memset(is_word, 0, (size_t)count);
    search search = {words, text, is_word};
    return words->words.xTokenize(
        words->marked, &search, FTS5_TOKENIZE_QUERY, text, count, note_word);
}

enum { longest_tokenizer = 100, most_arguments = 8 };

int divan_make_cutter(divan_words *words, const char *text, int count, divan_cutter *made) {
    char copy[longest_tokenizer + 1];
    const char *parts[1 + most_arguments] = {"unicode61"};
    int part_count = 0;
    if (count < 0 || count > longest_tokenizer) return SQLITE_ERROR;
    memcpy(copy, text, (size_t)count);
    copy[count] = 0;
    for (char *at = copy; *at; at++) {
        if (*at == ' ') {
            *at = 0;
        } else if (at == copy || at[-1] == 0) {
            if (part_count > most_arguments) return SQLITE_ERROR;
            parts[part_count++] = at;
        }
    }
    void *data = NULL;
    int code = words->api->xFindTokenizer(words->api, parts[0], &data, &made->words);
    if (code != SQLITE_OK) return code;
    return made->words.xCreate(data, parts + 1, part_count > 0 ? part_count - 1 : 0, &made->made);
}

void divan_free_cutter(divan_cutter *cutter) { cutter->words.xDelete(cutter->made); }

static int add_one(void *data, int flags, const char *word, int count, int start, int end) {
    (void)word;
    (void)count;
    (void)start;
    (void)end;
    if (!(flags & FTS5_TOKEN_COLOCATED)) ++*(int *)data;
    return SQLITE_OK;
}

int divan_count_words(divan_cutter *cutter, const char *text, int length, bool is_prefix, int *count) {
    int flags = FTS5_TOKENIZE_QUERY | (is_prefix ? FTS5_TOKENIZE_PREFIX : 0);
    *count = 0;
    return cutter->words.xTokenize(cutter->made, count, flags, text, length, add_one);
}
