// The checksum of blocks. It has four lanes, so that a multiplication does not wait for the previous
// one. Multiplying by an odd number and combining with a shifted copy can be undone, so a change in
// one word always changes its lane, and the result.
#include "CDivanVectors.h"

#include <string.h>

static uint64_t mixed(uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * 0x9E3779B97F4A7C15;
    return lane ^ lane >> 32;
}

static uint64_t word_at(const uint8_t *bytes, size_t count) {
    uint64_t word = 0;
    memcpy(&word, bytes, count);
    return word;
}

uint64_t divan_block_checksum(const uint8_t *bytes, size_t count) {
    uint64_t lanes[4] = {count, 1, 2, 3};
    size_t at = 0;
    for (; count - at >= 32; at += 32)
        for (size_t i = 0; i < 4; i++) lanes[i] = mixed(lanes[i], word_at(bytes + at + i * 8, 8));
    for (; count - at >= 8; at += 8) lanes[0] = mixed(lanes[0], word_at(bytes + at, 8));
    if (at < count) lanes[0] = mixed(lanes[0], word_at(bytes + at, count - at));
    for (size_t i = 1; i < 4; i++) lanes[0] = mixed(lanes[0], lanes[i]);
    return lanes[0];
}
