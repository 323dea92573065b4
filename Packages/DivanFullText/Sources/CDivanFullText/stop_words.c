#include "full_text.h"

#include "include/CDivanFullText.h"

#include <stdlib.h>
#include <string.h>

// Words that nearly every text contains: since `divan3` those of Snowball's public lists, as in the
// reference engine; before that, a few others. Each list is in byte order.

static const char *const english[] = {
    "a", "about", "above", "after", "again", "against", "all", "am", "an", "and", "any", "are",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "could", "did", "do", "does", "doing", "down", "during", "each", "few", "for", "from",
    "further", "had", "has", "have", "having", "he", "her", "here", "hers", "herself", "him",
    "himself", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself", "me", "more",
    "most", "my", "myself", "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other",
    "our", "ours", "ourselves", "out", "over", "own", "same", "she", "should", "so", "some", "such",
    "than", "that", "the", "their", "theirs", "them", "themselves", "then", "there", "these",
    "they", "this", "those", "through", "to", "too", "under", "until", "up", "very", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "whom", "why", "with", "would", "you",
    "your", "yours", "yourself", "yourselves",
};

static const char *const first_english[] = {
    "can", "don", "just", "now", "s", "t", "will",
};

static const char *const third_english[] = {
    "cannot", "ought",
};

static const char *const french[] = {
    "ai", "aie", "ait", "as", "au", "aura", "aux", "avec", "avez", "avons", "c", "ce", "ces", "d",
    "dans", "de", "des", "du", "elle", "en", "es", "est", "et", "eu", "eux", "il", "ils", "j", "je",
    "l", "la", "le", "les", "leur", "lui", "m", "ma", "mais", "me", "mes", "moi", "mon", "n", "ne",
    "nos", "notre", "nous", "on", "ont", "ou", "par", "pas", "pour", "qu", "que", "qui", "s", "sa",
    "se", "ses", "soi", "son", "sont", "sur", "t", "ta", "te", "tes", "toi", "ton", "tu", "un",
    "une", "vos", "votre", "vous", "y", "à", "été",
};

static const char *const first_french[] = {
    "être",
};

static const char *const third_french[] = {
    "aient", "aies", "aurai", "auraient", "aurais", "aurait", "auras", "aurez", "auriez", "aurions",
    "aurons", "auront", "avaient", "avais", "avait", "aviez", "avions", "ayant", "ayez", "ayons",
    "ceci", "cela", "celà", "cet", "cette", "eue", "eues", "eurent", "eus", "eusse", "eussent",
    "eusses", "eussiez", "eussions", "eut", "eûmes", "eût", "eûtes", "furent", "fus", "fusse",
    "fussent", "fusses", "fussiez", "fussions", "fut", "fûmes", "fût", "fûtes", "ici", "leurs",
    "même", "quel", "quelle", "quelles", "quels", "sans", "sera", "serai", "seraient", "serais",
    "serait", "seras", "serez", "seriez", "serions", "serons", "seront", "soient", "sois", "soit",
    "sommes", "soyez", "soyons", "suis", "étaient", "étais", "était", "étant", "étiez", "étions",
    "étée", "étées", "étés", "êtes",
};

typedef struct {
    const char *const *words;
    size_t count;
} word_list;

struct divan_stop_words {
    /// The words in both versions of a list, and those only in this one.
    word_list lasting, own;
};

#define LIST(words) {words, sizeof words / sizeof *words}

static const divan_stop_words first_lists[] = {
    {LIST(english), LIST(first_english)},
    {LIST(french), LIST(first_french)},
};

static const divan_stop_words third_lists[] = {
    {LIST(english), LIST(third_english)},
    {LIST(french), LIST(third_french)},
};

/// A word to look up.
typedef struct {
    const char *text;
    int count;
} key;

static int compare(const void *left, const void *right) {
    const key *word = left;
    const char *entry = *(const char *const *)right;
    int order = strncmp(word->text, entry, (size_t)word->count);
    return order != 0 ? order : -(entry[word->count] != 0);
}

static bool has(word_list list, key key) {
    return bsearch(&key, list.words, list.count, sizeof *list.words, compare) != NULL;
}

bool divan_is_stop_word(const divan_stop_words *list, const char *word, int count) {
    key key = {word, count};
    return has(list->lasting, key) || has(list->own, key);
}

const divan_stop_words *divan_find_stop_words(const char *language, bool is_first_list) {
    const divan_stop_words *lists = is_first_list ? first_lists : third_lists;
    if (strcmp(language, "en") == 0 || strcmp(language, "english") == 0) return &lists[0];
    if (strcmp(language, "fr") == 0 || strcmp(language, "french") == 0) return &lists[1];
    return NULL;
}
