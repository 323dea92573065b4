#include "full_text.h"

#include <libstemmer.h>
#include <string.h>

/// One for each table and connection, so it is used by one thread at a time.
typedef struct {
    fts5_tokenizer words;
    Fts5Tokenizer *inner;
    struct sb_stemmer *stemmer;
    char language[16];
} tokenizer;

typedef int (*token_callback)(void *, int, const char *, int, int, int);

/// What is passed through `unicode61` to each of its words.
typedef struct {
    tokenizer *tokenizer;
    bool is_document;
    void *context;
    token_callback callback;
} passage;

static void delete(Fts5Tokenizer *base) {
    tokenizer *deleted = (tokenizer *)base;
    if (deleted->inner) deleted->words.xDelete(deleted->inner);
    if (deleted->stemmer) sb_stemmer_delete(deleted->stemmer);
    sqlite3_free(deleted);
}

/// Arguments: the language or `none`, and whether accents count (1) or not (0).
static int create(void *data, const char **words, int count, Fts5Tokenizer **created) {
    fts5_api *api = data;
    const char *language = count > 0 ? words[0] : "none";
    bool has_accents = count > 1 && strcmp(words[1], "1") == 0;
    tokenizer *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    sqlite3_snprintf(sizeof made->language, made->language, "%s", language);
    void *inner_data = NULL;
    int code = api->xFindTokenizer(api, "unicode61", &inner_data, &made->words);
    const char *arguments[] = {"remove_diacritics", has_accents ? "0" : "2"};
    if (code == SQLITE_OK)
        code = made->words.xCreate(inner_data, arguments, 2, &made->inner);
    if (code != SQLITE_OK) {
        made->inner = NULL;
        delete((Fts5Tokenizer *)made);
        return code;
    }
    // A language without a stemmer keeps its words as they are.
    if (strcmp(language, "none") != 0) made->stemmer = sb_stemmer_new(language, "UTF_8");
    *created = (Fts5Tokenizer *)made;
    return SQLITE_OK;
}

static int
pass_word(void *data, int flags, const char *word, int count, int start, int end) {
    passage *passage = data;
    tokenizer *tokenizer = passage->tokenizer;
    if (passage->is_document && divan_is_stop_word(tokenizer->language, word, count))
        return SQLITE_OK;
    if (tokenizer->stemmer) {
        const sb_symbol *stem =
            sb_stemmer_stem(tokenizer->stemmer, (const sb_symbol *)word, count);
        if (!stem) return SQLITE_NOMEM;
        word = (const char *)stem;
        count = sb_stemmer_length(tokenizer->stemmer);
    }
    return passage->callback(passage->context, flags, word, count, start, end);
}

static int tokenize(
    Fts5Tokenizer *base, void *context, int flags, const char *text, int count,
    token_callback callback) {
    tokenizer *used = (tokenizer *)base;
    passage passage = {used, (flags & FTS5_TOKENIZE_DOCUMENT) != 0, context, callback};
    return used->words.xTokenize(used->inner, &passage, flags, text, count, pass_word);
}

int divan_add_tokenizer(fts5_api *api) {
    fts5_tokenizer functions = {create, delete, tokenize};
    return api->xCreateTokenizer(api, "divan1", api, &functions, NULL);
}
