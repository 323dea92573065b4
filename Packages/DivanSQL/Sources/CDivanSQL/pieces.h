#ifndef DIVAN_PIECES_H
#define DIVAN_PIECES_H

#if !__has_include(<unicode/utext.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include <unicode/utext.h>

/// Opens a text that ICU reads in pieces, so that it can be interrupted between two of them: it then ends there.
///
/// ICU counts the operations of a match, but some go through the whole text, such as `.*` in a lookaround. The
/// units must live as long as the text and its clones.
void divan_open_pieces(UText *text, const UChar *units, int64_t count, UErrorCode *error);

#endif
