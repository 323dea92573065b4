#include "CDivanFloors.h"

#include <string.h>

uint64_t floor_read(const uint8_t *bytes, size_t length) {
    // Several sums, so that no addition waits for the previous one.
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + sizeof sums <= length; i += sizeof sums) {
        uint64_t words[8];
        memcpy(words, bytes + i, sizeof words);
        for (size_t k = 0; k < 8; k++) sums[k] += words[k];
    }
    uint64_t total = 0;
    for (size_t k = 0; k < 8; k++) total += sums[k];
    return total;
}
