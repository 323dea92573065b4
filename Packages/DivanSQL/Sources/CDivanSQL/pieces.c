#if !__has_include(<unicode/utf16.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "pieces.h"

#include "work.h"

#include <string.h>
#include <unicode/utf16.h>

/// Units of a piece, to which the second half of a pair may be added.
enum { piece = 4096 };

static const UChar *units_of(const UText *text) { return text->context; }

static int64_t U_CALLCONV length(UText *text) { return text->a; }

/// Goes to the piece with a unit, backwards to the one before a position; to the end if the search must stop,
/// since ICU's loops go on until they are there.
static UBool U_CALLCONV reach(UText *text, int64_t position, UBool is_forward) {
    const UChar *units = units_of(text);
    int64_t count = text->a;
    bool must_stop = !divan_work(piece);
    if (must_stop) position = count;
    position = position < 0 ? 0 : position > count ? count : position;
    // A position inside a pair is the one before it.
    if (position > 0 && position < count && U16_IS_TRAIL(units[position]) && U16_IS_LEAD(units[position - 1]))
        position--;
    int64_t sought = is_forward || position == 0 ? position : position - 1;
    if (sought == count && count > 0) sought--;
    int64_t start = sought / piece * piece, end = start + piece < count ? start + piece : count;
    // Pairs are in one piece.
    if (start > 0 && U16_IS_TRAIL(units[start]) && U16_IS_LEAD(units[start - 1])) start--;
    if (end < count && U16_IS_TRAIL(units[end]) && U16_IS_LEAD(units[end - 1])) end--;
    if (sought >= end) {
        start = end;
        end = start + piece < count ? start + piece : count;
        if (end < count && U16_IS_TRAIL(units[end]) && U16_IS_LEAD(units[end - 1])) end--;
    }
    text->chunkContents = units + start;
    text->chunkNativeStart = start;
    text->chunkNativeLimit = end;
    text->chunkLength = (int32_t)(end - start);
    text->nativeIndexingLimit = text->chunkLength;
    text->chunkOffset = (int32_t)(position - start);
    if (must_stop) return false;
    return is_forward ? position < end : position > start;
}

static UText *U_CALLCONV clone(UText *target, const UText *source, UBool is_deep, UErrorCode *error) {
    if (is_deep) *error = U_UNSUPPORTED_ERROR;
    target = utext_setup(target, 0, error);
    if (U_FAILURE(*error)) return target;
    target->pFuncs = source->pFuncs;
    target->context = source->context;
    target->a = source->a;
    target->providerProperties = source->providerProperties;
    target->chunkContents = source->chunkContents;
    target->chunkNativeStart = source->chunkNativeStart;
    target->chunkNativeLimit = source->chunkNativeLimit;
    target->chunkLength = source->chunkLength;
    target->nativeIndexingLimit = source->nativeIndexingLimit;
    target->chunkOffset = source->chunkOffset;
    return target;
}

static int32_t U_CALLCONV extract(
    UText *text, int64_t start, int64_t limit, UChar *target, int32_t capacity, UErrorCode *error) {
    int64_t count = text->a;
    if (U_FAILURE(*error)) return 0;
    start = start < 0 ? 0 : start > count ? count : start;
    limit = limit < start ? start : limit > count ? count : limit;
    int64_t copied = limit - start < capacity ? limit - start : capacity;
    if (copied > 0) memcpy(target, units_of(text) + start, (size_t)copied * sizeof(UChar));
    if (limit - start > capacity) *error = U_BUFFER_OVERFLOW_ERROR;
    return (int32_t)(limit - start);
}

void divan_open_pieces(UText *text, const UChar *units, int64_t count, UErrorCode *error) {
    static const UTextFuncs functions = {
        .tableSize = sizeof(UTextFuncs),
        .clone = clone,
        .nativeLength = length,
        .access = reach,
        .extract = extract,
    };
    utext_setup(text, 0, error);
    if (U_FAILURE(*error)) return;
    text->pFuncs = &functions;
    text->context = units;
    text->a = count;
    reach(text, 0, true);
}
