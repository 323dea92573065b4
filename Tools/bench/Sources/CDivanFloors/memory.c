#include "CDivanFloors.h"

#include <string.h>
#include <zlib.h>

// 0: ordinary, 1: quote, 2: opens, 3: closes
static const uint8_t classes[256] = {['"'] = 1, ['{'] = 2, ['['] = 2, ['}'] = 3, [']'] = 3};

int floor_json_scan(const char *text, size_t length) {
    int depth = 0, deepest = 0;
    size_t i = 0;
    while (i < length) {
        uint8_t kind = classes[(uint8_t)text[i++]];
        if (kind == 0) continue;
        if (kind == 1) {
            while (i < length && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
            i += 1;
        } else if (kind == 2) {
            if (++depth > deepest) deepest = depth;
        } else {
            depth -= 1;
        }
    }
    return depth == 0 ? deepest : -1;
}

uint32_t floor_copy_crc(uint8_t *to, const uint8_t *from, size_t length, uint32_t crc) {
    memcpy(to, from, length);
    return (uint32_t)crc32(crc, from, (uInt)length);
}

void floor_copy_masked(uint8_t *to, const uint8_t *from, size_t length, uint32_t key) {
    uint64_t word = (uint64_t)key << 32 | key, block;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&block, from + i, 8);
        block ^= word;
        memcpy(to + i, &block, 8);
    }
    for (; i < length; i++) to[i] = from[i] ^ (uint8_t)(word >> 8 * (i & 7));
}

void floor_copy(uint8_t *to, const uint8_t *from, size_t length) { memcpy(to, from, length); }
