// Chooses the sets of kernels that this machine can run.
#include "kernels.h"

const divan_vector_kernels *divan_vector_kernels_at(size_t index) {
    const divan_vector_kernels *usable[4] = {0};
    size_t count = 0;
#if defined(__x86_64__)
    // Asks the processor and whether the operating system saves the wide registers.
    if (__builtin_cpu_supports("avx2")) usable[count++] = &divan_avx2_kernels;
    usable[count++] = &divan_sse2_kernels;
#elif defined(__aarch64__)
    usable[count++] = &divan_neon_kernels;
#endif
    usable[count++] = &divan_scalar_kernels;
    return index < count ? usable[index] : NULL;
}
