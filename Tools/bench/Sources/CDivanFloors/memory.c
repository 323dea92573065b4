#include "CDivanFloors.h"

#include <malloc.h>
#include <string.h>
#include <zlib.h>

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

void floor_small_frames(size_t count, size_t length) {
    static uint8_t payload[256], out[1 << 16];
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (at + 6 + length > sizeof out) at = 0;
        // Another key for each frame, as the protocol requires.
        uint32_t key = (uint32_t)i * 2654435761u;
        out[at] = 0x82, out[at + 1] = (uint8_t)(0x80 | length);
        memcpy(out + at + 2, &key, 4);
        floor_copy_masked(out + at + 6, payload, length, key);
        at += 6 + length;
        // Marks the bytes as read, as a sender would: otherwise the compiler removes the unused work.
        __asm__ volatile("" : : "r"(out) : "memory");
    }
}

void floor_copy(uint8_t *to, const uint8_t *from, size_t length) { memcpy(to, from, length); }

void floor_give_memory_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
