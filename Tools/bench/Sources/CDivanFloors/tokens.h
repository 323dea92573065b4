// Finds the tokens of a text, 64 bytes at a time. Included once for each vector width:
// TOKENS names the function, TARGET the instructions, WIDTH the bytes of a `vector`.

#define LANES (64 / WIDTH)

/// One bit for each of 64 bytes.
TARGET static inline uint64_t NAMED(bits)(const vector *lanes) {
    uint64_t bits = 0;
    for (int i = 0; i < LANES; i++) bits |= (uint64_t)MASK(lanes[i]) << (WIDTH * i);
    return bits;
}

/// Appends the places of one block's tokens, and returns their end.
TARGET static inline uint32_t *NAMED(block)(scan *s, const char *text, uint32_t at,
                                            uint32_t *tokens) {
    vector quotes[LANES], slashes[LANES], marks[LANES], blanks[LANES], controls[LANES];
    vector bytes[LANES];
    for (int i = 0; i < LANES; i++) {
        vector in = bytes[i] = LOAD(text + WIDTH * i), folded = OR(in, EACH(0x20));
        quotes[i] = EQUAL(in, EACH('"'));
        slashes[i] = EQUAL(in, EACH('\\'));
        // '[' and '{' differ in the folded bit, and so do ']' and '}'.
        marks[i] = OR(OR(EQUAL(folded, EACH('{')), EQUAL(folded, EACH('}'))),
                      OR(EQUAL(in, EACH(':')), EQUAL(in, EACH(','))));
        blanks[i] = EQUAL(LEAST(in, EACH(0x20)), in);
        controls[i] = EQUAL(LEAST(in, EACH(0x1F)), in);
    }
    uint64_t quote = NAMED(bits)(quotes), slash = NAMED(bits)(slashes);
    if (slash | s->escapes_next) quote &= ~escaped(s, slash);
    uint64_t inside = RUNS(quote) ^ s->in_string;
    s->in_string = (uint64_t)((int64_t)inside >> 63);
    uint64_t control = NAMED(bits)(controls);
    if (control) check_controls(s, text, control, inside);
    s->beyond_ascii |= NAMED(bits)(bytes);
    uint64_t mark = NAMED(bits)(marks) & ~inside;
    // Anything that is not a blank, a mark or in a string belongs to a number or a word; its first
    // byte is a token.
    uint64_t scalar = ~(mark | NAMED(bits)(blanks) | inside | quote);
    uint64_t first = scalar & ~(scalar << 1 | s->in_scalar);
    s->in_scalar = scalar >> 63;
    uint64_t found = mark | quote | first;
    for (int i = 0; i < 64; i += 8, found >>= 8) {
        NAMED(put)(tokens, at + (uint32_t)i, places_of_bits[(uint8_t)found]);
        tokens += __builtin_popcount((uint8_t)found);
    }
    return tokens;
}

TARGET static uint32_t *TOKENS(scan *s, const char *text, size_t length, uint32_t *tokens) {
    size_t at = 0;
    for (; at + 64 <= length; at += 64) tokens = NAMED(block)(s, text + at, (uint32_t)at, tokens);
    char rest[64];
    memset(rest, ' ', sizeof rest);
    memcpy(rest, text + at, length - at);
    return NAMED(block)(s, rest, (uint32_t)at, tokens);
}

#undef LANES
