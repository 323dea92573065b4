#if !__has_include(<libstemmer.h>)
#error "The headers of Snowball are missing; run: sudo apt-get install libstemmer-dev"
#endif

#include "full_text.h"

#include "include/CDivanFullText.h"

#include <libstemmer.h>
#include <string.h>

/// Texts repeat the same words, and finding a stem takes longer than everything else that is
/// done with a word: the results for the latest short ones are kept, each in the place given by its hash.
enum { known_count = 4096, known_length = 30 };

typedef struct {
    char word[known_length];
    char stem[known_length];
    uint8_t word_length;  // 0: nothing is here
    uint8_t stem_length;
    bool is_stop_word;
} known_word;

/// One for each table and connection, so it is used by one thread at a time.
typedef struct {
    fts5_tokenizer words;
    Fts5Tokenizer *inner;
    struct sb_stemmer *stemmer;
    /// Allocated at the first word of a document.
    known_word *known;
    /// Null for languages without any.
    const divan_stop_words *stop_words;
    /// Whether characters of scripts without spaces are words of their own.
    bool splits;
    /// Whether texts are normalized, and words that differ from their stems are found by their beginnings too.
    bool is_complete;
    bool has_accents;
} tokenizer;

/// The mark before a word that is indexed next to its stem: no word contains it, so it is never taken for a stem.
enum { word_mark = 1, marked_length = 256 };

typedef int (*token_callback)(void *, int, const char *, int, int, int);

/// The context that `unicode61` passes on for each of its words.
typedef struct {
    tokenizer *tokenizer;
    int flags;
    void *context;
    token_callback callback;
    /// The stop word after the latest other word, if it may be the beginning of one.
    char last[known_length];
    int last_length, last_start, last_end;
    /// In a complete query with a star, the latest word, which the star belongs to if no other follows.
    sqlite3_str *held;
    int held_start, held_end;
} passage;

static void delete(Fts5Tokenizer *base) {
    tokenizer *deleted = (tokenizer *)base;
    if (deleted->inner) deleted->words.xDelete(deleted->inner);
    if (deleted->stemmer) sb_stemmer_delete(deleted->stemmer);
    sqlite3_free(deleted->known);
    sqlite3_free(deleted);
}

/// Arguments: the language or `none`, and whether accents count (1) or not (0).
static int
create(fts5_api *api, const char **words, int count, bool is_first_list, tokenizer **created) {
    const char *language = count > 0 ? words[0] : "none";
    bool has_accents = count > 1 && strcmp(words[1], "1") == 0;
    tokenizer *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    made->stop_words = divan_find_stop_words(language, is_first_list);
    made->has_accents = has_accents;
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
    // A language without a stemmer keeps its words unchanged.
    if (strcmp(language, "none") != 0) made->stemmer = sb_stemmer_new(language, "UTF_8");
    *created = made;
    return SQLITE_OK;
}

int divan_has_stems(const char *language) {
    struct sb_stemmer *stemmer = sb_stemmer_new(language, "UTF_8");
    if (stemmer) sb_stemmer_delete(stemmer);
    return stemmer != NULL;
}

static int create_first(void *data, const char **words, int count, Fts5Tokenizer **created) {
    return create(data, words, count, true, (tokenizer **)created);
}

static int create_splitting(void *data, const char **words, int count, Fts5Tokenizer **created) {
    int code = create(data, words, count, true, (tokenizer **)created);
    if (code == SQLITE_OK) ((tokenizer *)*created)->splits = true;
    return code;
}

static int create_third(void *data, const char **words, int count, Fts5Tokenizer **created) {
    return create(data, words, count, false, (tokenizer **)created);
}

static int create_complete(void *data, const char **words, int count, Fts5Tokenizer **created) {
    int code = create(data, words, count, false, (tokenizer **)created);
    if (code == SQLITE_OK) ((tokenizer *)*created)->is_complete = true;
    return code;
}

static int
create_complete_splitting(void *data, const char **words, int count, Fts5Tokenizer **created) {
    int code = create_complete(data, words, count, created);
    if (code == SQLITE_OK) ((tokenizer *)*created)->splits = true;
    return code;
}

/// Bytes of the longest word that is stemmed: no language has longer ones, and stemming takes quadratic time.
enum { longest_stemmed = 256 };

/// Sets `word` and `count` to the stem; false if there is no memory.
static bool find_stem(tokenizer *tokenizer, const char **word, int *count) {
    if (!tokenizer->stemmer || *count > longest_stemmed) return true;
    const sb_symbol *stem = sb_stemmer_stem(tokenizer->stemmer, (const sb_symbol *)*word, *count);
    if (!stem) return false;
    *word = (const char *)stem;
    *count = sb_stemmer_length(tokenizer->stemmer);
    return true;
}

static uint32_t hash(const char *word, int count) {
    uint32_t hash = 2166136261;
    for (int index = 0; index < count; index++) hash = (hash ^ (uint8_t)word[index]) * 16777619;
    return hash ^ hash >> 15;
}

/// The cache entry for a word, which may hold another one. Null for long words, or if there is no memory.
static known_word *find_place(tokenizer *tokenizer, const char *word, int count) {
    if (count <= 0 || count > known_length) return NULL;
    if (!tokenizer->known) {
        size_t size = known_count * sizeof(known_word);
        tokenizer->known = sqlite3_malloc64(size);
        if (!tokenizer->known) return NULL;
        memset(tokenizer->known, 0, size);
    }
    return &tokenizer->known[hash(word, count) % known_count];
}

static int
pass(passage *passage, int flags, const char *word, int count, int start, int end) {
    passage->last_length = 0;
    return passage->callback(passage->context, flags, word, count, start, end);
}

/// Passes on a word in the place of its stem, so that a star finds it by its own beginning.
static int pass_marked(passage *passage, const char *word, int count, int start, int end) {
    char marked[marked_length] = {word_mark};
    if (count > marked_length - 1) count = marked_length - 1;
    memcpy(marked + 1, word, (size_t)count);
    return passage->callback(
        passage->context, FTS5_TOKEN_COLOCATED, marked, count + 1, start, end);
}

/// Passes on a stem, and in a document the word next to it unless both are the same.
static int pass_stem(
    passage *passage, int flags, const char *stem, int stem_count, const char *word, int count,
    int start, int end) {
    int code = pass(passage, flags, stem, stem_count, start, end);
    bool is_marked = passage->tokenizer->is_complete && passage->tokenizer->stemmer
        && (passage->flags & FTS5_TOKENIZE_DOCUMENT)
        && (stem_count != count || memcmp(stem, word, (size_t)count) != 0);
    if (code != SQLITE_OK || !is_marked) return code;
    return pass_marked(passage, word, count, start, end);
}

static bool is_stop_word(const tokenizer *tokenizer, const char *word, int count) {
    return tokenizer->stop_words && divan_is_stop_word(tokenizer->stop_words, word, count);
}

/// Passes on the held word as one that no star follows.
static int pass_held(passage *passage) {
    tokenizer *tokenizer = passage->tokenizer;
    const char *word = passage->held ? sqlite3_str_value(passage->held) : NULL;
    if (!word) return SQLITE_OK;
    int count = sqlite3_str_length(passage->held);
    int code = SQLITE_OK;
    if (!is_stop_word(tokenizer, word, count)) {
        code = find_stem(tokenizer, &word, &count)
            ? pass(passage, 0, word, count, passage->held_start, passage->held_end)
            : SQLITE_NOMEM;
    }
    sqlite3_str_reset(passage->held);
    return code;
}

/// Passes on the held word as the beginning of others: of stems, of words and, unless it is a stop word, of what
/// has its stem.
static int pass_beginning(passage *passage) {
    tokenizer *tokenizer = passage->tokenizer;
    const char *word = passage->held ? sqlite3_str_value(passage->held) : NULL;
    if (!word) return SQLITE_OK;
    int count = sqlite3_str_length(passage->held), stem_count = count;
    int start = passage->held_start, end = passage->held_end;
    int code = pass(passage, 0, word, count, start, end);
    if (code == SQLITE_OK) code = pass_marked(passage, word, count, start, end);
    if (code != SQLITE_OK || is_stop_word(tokenizer, word, count)) return code;
    const char *stem = word;
    if (!find_stem(tokenizer, &stem, &stem_count)) return SQLITE_NOMEM;
    if (stem_count == count && memcmp(stem, word, (size_t)count) == 0) return SQLITE_OK;
    return passage->callback(passage->context, FTS5_TOKEN_COLOCATED, stem, stem_count, start, end);
}

/// Holds a word until it is known whether another one follows.
static int hold(passage *passage, const char *word, int count, int start, int end) {
    int code = pass_held(passage);
    if (code != SQLITE_OK) return code;
    sqlite3_str_append(passage->held, word, count);
    passage->held_start = start;
    passage->held_end = end;
    return sqlite3_str_errcode(passage->held);
}

/// Leaves out a stop word; if a star follows, it is kept, as it may be the beginning of other words.
static int leave_out(passage *passage, const char *word, int count, int start, int end) {
    if (!(passage->flags & FTS5_TOKENIZE_PREFIX) || count > known_length) return SQLITE_OK;
    memcpy(passage->last, word, (size_t)count);
    passage->last_length = count;
    passage->last_start = start;
    passage->last_end = end;
    return SQLITE_OK;
}

/// Passes on the last stop word, which has the star.
static int pass_last(passage *passage) {
    const char *word = passage->last;
    int count = passage->last_length;
    if (count == 0) return SQLITE_OK;
    if (!find_stem(passage->tokenizer, &word, &count)) return SQLITE_NOMEM;
    return pass(passage, 0, word, count, passage->last_start, passage->last_end);
}

static int
pass_whole(void *data, int flags, const char *word, int count, int start, int end) {
    passage *passage = data;
    tokenizer *tokenizer = passage->tokenizer;
    if (passage->held) return hold(passage, word, count, start, end);
    bool is_document = (passage->flags & FTS5_TOKENIZE_DOCUMENT) != 0;
    known_word *place = is_document ? find_place(tokenizer, word, count) : NULL;
    if (place && place->word_length == count && memcmp(place->word, word, (size_t)count) == 0) {
        if (place->is_stop_word) return leave_out(passage, word, count, start, end);
        return pass_stem(
            passage, flags, place->stem, place->stem_length, word, count, start, end);
    }
    bool is_left_out = is_stop_word(tokenizer, word, count);
    if (place) {
        memcpy(place->word, word, (size_t)count);
        place->word_length = (uint8_t)count;
        place->is_stop_word = is_left_out;
    }
    if (is_left_out) return leave_out(passage, word, count, start, end);
    const char *stem = word;
    int stem_count = count;
    if (!find_stem(tokenizer, &stem, &stem_count)) {
        if (place) place->word_length = 0;
        return SQLITE_NOMEM;
    }
    if (place && stem_count <= known_length) {
        memcpy(place->stem, stem, (size_t)stem_count);
        place->stem_length = (uint8_t)stem_count;
    } else if (place) {
        place->word_length = 0;
    }
    return pass_stem(passage, flags, stem, stem_count, word, count, start, end);
}

/// The number of bytes of the character at `at`, and the character.
static int read_character(const uint8_t *at, const uint8_t *end, uint32_t *character) {
    int length = *at < 0xC0 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
    if (end - at < length) length = 1;
    *character = length == 1 ? *at : *at & (0x7F >> length);
    for (int index = 1; index < length; index++) *character = *character << 6 | (at[index] & 0x3F);
    return length;
}

int divan_has_no_blanks(unsigned int character) {
    static const unsigned int ranges[][2] = {
        {0x0E00, 0x0EFF},   {0x1000, 0x109F},   {0x1780, 0x17FF},   {0x3005, 0x3007},
        {0x3040, 0x30FF},   {0x31F0, 0x31FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
        {0xF900, 0xFAFF},   {0xFF66, 0xFF9F},   {0x20000, 0x3FFFF},
    };
    for (unsigned index = 0; index < sizeof ranges / sizeof ranges[0]; index++) {
        if (character >= ranges[index][0] && character <= ranges[index][1]) return 1;
    }
    return 0;
}

/// Passes on each character of such a script as a word; in a query, several of them are then a phrase, which
/// is found anywhere.
static int
pass_split(void *data, int flags, const char *word, int count, int start, int end) {
    passage *passage = data;
    const uint8_t *at = (const uint8_t *)word, *behind = at + count;
    // If folding changed the length, positions inside the word are unknown.
    bool has_places = end - start == count;
    while (at < behind) {
        uint32_t character;
        const uint8_t *next = at + read_character(at, behind, &character);
        bool is_alone = divan_has_no_blanks(character);
        while (!is_alone && next < behind) {
            int length = read_character(next, behind, &character);
            if (divan_has_no_blanks(character)) break;
            next += length;
        }
        int first = has_places ? start + (int)(at - (const uint8_t *)word) : start;
        int last = has_places ? first + (int)(next - at) : end;
        int code = is_alone ? pass(passage, flags, (const char *)at, (int)(next - at), first, last)
                            : pass_whole(data, flags, (const char *)at, (int)(next - at), first, last);
        if (code != SQLITE_OK) return code;
        at = next;
    }
    return SQLITE_OK;
}

static int tokenize(
    Fts5Tokenizer *base, void *context, int flags, const char *text, int count,
    token_callback callback) {
    tokenizer *used = (tokenizer *)base;
    passage passage = {.tokenizer = used, .flags = flags, .context = context, .callback = callback};
    int code = used->words.xTokenize(
        used->inner, &passage, flags, text, count, used->splits ? pass_split : pass_whole);
    return code == SQLITE_OK ? pass_last(&passage) : code;
}

/// Like `tokenize`, after normalizing the text; positions are those in the normalized text, which nothing reads.
static int tokenize_completely(
    Fts5Tokenizer *base, void *context, int flags, const char *text, int count,
    token_callback callback) {
    tokenizer *used = (tokenizer *)base;
    passage passage = {.tokenizer = used, .flags = flags, .context = context, .callback = callback};
    sqlite3_str *normal;
    int code = divan_normalize(text, count, !used->has_accents, &normal);
    if (normal) {
        text = sqlite3_str_value(normal);
        count = sqlite3_str_length(normal);
    }
    if (flags & FTS5_TOKENIZE_PREFIX && used->stemmer) passage.held = sqlite3_str_new(NULL);
    if (code == SQLITE_OK && text)
        code = used->words.xTokenize(
            used->inner, &passage, flags, text, count, used->splits ? pass_split : pass_whole);
    if (code == SQLITE_OK) code = pass_beginning(&passage);
    sqlite3_free(sqlite3_str_finish(passage.held));
    sqlite3_free(sqlite3_str_finish(normal));
    return code;
}

bool divan_makes_compatible(const char *tokenizer) {
    bool is_complete = strncmp(tokenizer, "divan4 ", 7) == 0 || strncmp(tokenizer, "divan5 ", 7) == 0;
    return is_complete && strcmp(tokenizer + strlen(tokenizer) - 2, " 0") == 0;
}

int divan_add_tokenizer(fts5_api *api) {
    // The names are in files, so they never change their meaning: an index has the words of its list.
    const struct {
        const char *name;
        fts5_tokenizer calls;
    } tokenizers[] = {
        {"divan1", {create_first, delete, tokenize}},
        {"divan2", {create_splitting, delete, tokenize}},
        {"divan3", {create_third, delete, tokenize}},
        {"divan4", {create_complete, delete, tokenize_completely}},
        {"divan5", {create_complete_splitting, delete, tokenize_completely}},
    };
    for (unsigned index = 0; index < sizeof tokenizers / sizeof *tokenizers; index++) {
        fts5_tokenizer calls = tokenizers[index].calls;
        int code = api->xCreateTokenizer(api, tokenizers[index].name, api, &calls, NULL);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}
