#ifndef CDIVANFUZZER_H
#define CDIVANFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own main, which calls back with each input; returns the process's exit code.
int LLVMFuzzerRunDriver(int *count, char ***arguments,
                        int (*callback)(const uint8_t *bytes, size_t count));

/// libFuzzer's own mutation of an input; returns its new length, at most `limit`.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t limit);

#endif
