// Writes the peak memory of the process in kilobytes to the file that DIVAN_PEAK names when it ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((destructor)) static void note(void) {
    const char *place = getenv("DIVAN_PEAK");
    FILE *status = place ? fopen("/proc/self/status", "r") : NULL;
    if (status == NULL) return;
    char line[256];
    while (fgets(line, sizeof line, status)) {
        if (strncmp(line, "VmHWM:", 6) != 0) continue;
        FILE *file = fopen(place, "w");
        if (file == NULL) break;
        fprintf(file, "%ld\n", strtol(line + 6, NULL, 10));
        fclose(file);
    }
    fclose(status);
}
