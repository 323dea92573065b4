#include "full_text.h"

#include <stdlib.h>
#include <string.h>

// Words that nearly every text has. Each list is in the order of bytes.

static const char *const english[] = {
    "a", "about", "above", "after", "again", "against", "all", "am", "an", "and", "any", "are",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but",
    "by", "can", "could", "did", "do", "does", "doing", "don", "down", "during", "each", "few",
    "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers",
    "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "itself", "just", "me", "more", "most", "my", "myself", "no", "nor", "not", "now", "of", "off",
    "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over", "own", "s",
    "same", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "theirs",
    "them", "themselves", "then", "there", "these", "they", "this", "those", "through", "to",
    "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "why", "will", "with", "would", "you", "your", "yours", "yourself",
    "yourselves",
};

static const char *const french[] = {
    "ai", "aie", "ait", "as", "au", "aura", "aux", "avec", "avez", "avons", "c", "ce", "ces", "d",
    "dans", "de", "des", "du", "elle", "en", "es", "est", "et", "eu", "eux", "il", "ils", "j",
    "je", "l", "la", "le", "les", "leur", "lui", "m", "ma", "mais", "me", "mes", "moi", "mon", "n",
    "ne", "nos", "notre", "nous", "on", "ont", "ou", "par", "pas", "pour", "qu", "que", "qui", "s",
    "sa", "se", "ses", "soi", "son", "sont", "sur", "t", "ta", "te", "tes", "toi", "ton", "tu",
    "un", "une", "vos", "votre", "vous", "y", "à", "été", "être",
};

/// A word that is looked for.
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

static bool has(const char *const *list, size_t size, const char *word, int count) {
    key key = {word, count};
    return bsearch(&key, list, size / sizeof *list, sizeof *list, compare) != NULL;
}

bool divan_is_stop_word(const char *language, const char *word, int count) {
    if (strcmp(language, "en") == 0 || strcmp(language, "english") == 0)
        return has(english, sizeof english, word, count);
    if (strcmp(language, "fr") == 0 || strcmp(language, "french") == 0)
        return has(french, sizeof french, word, count);
    return false;
}
