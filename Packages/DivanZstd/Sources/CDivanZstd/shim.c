#include "CDivanZstd.h"

#include <stdlib.h>
#include <string.h>

// The library is loaded at run time, not linked: so the same program runs with and without it. Only the part of its
// interface that its soname guarantees is called.
#if __has_include(<zstd.h>) && __has_include(<zdict.h>)

#include <dlfcn.h>
#include <pthread.h>
#include <zdict.h>
#include <zstd.h>

#define FUNCTIONS(each)                                                                                \
    each(ZSTD_isError) each(ZSTD_compressBound) each(ZSTD_createCCtx) each(ZSTD_freeCCtx)              \
    each(ZSTD_CCtx_setParameter) each(ZSTD_createCDict) each(ZSTD_freeCDict) each(ZSTD_CCtx_refCDict)  \
    each(ZSTD_compress2) each(ZSTD_createDCtx) each(ZSTD_freeDCtx) each(ZSTD_createDDict)              \
    each(ZSTD_freeDDict) each(ZSTD_findFrameCompressedSize) each(ZSTD_decompress_usingDDict)           \
    each(ZSTD_decompress_usingDict) each(ZSTD_decompressStream) each(ZSTD_compressStream2)             \
    each(ZSTD_getErrorName)                                                                            \
    each(ZDICT_finalizeDictionary) each(ZDICT_isError)

static struct {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
    int is_complete;
} library;

static void load(void) {
    void *handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return;
    int is_complete = 1;
#define FIND(name)                                                       \
    library.name = (__typeof__(library.name))dlsym(handle, #name);       \
    is_complete = is_complete && library.name != NULL;
    FUNCTIONS(FIND)
    library.is_complete = is_complete;
}

int divan_zstd_is_built_in(void) { return 1; }

int divan_zstd_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library.is_complete;
}

// The library's default: for such short input lower levels are little faster, higher ones much slower.
static const int level = 3;

// The start of every frame, which a piece omits.
static const uint8_t magic[4] = {0x28, 0xB5, 0x2F, 0xFD};

size_t divan_zstd_dictionary(const uint8_t *content, size_t count, const uint8_t *samples,
                             const size_t *sample_counts, unsigned sample_count, uint8_t *dictionary,
                             size_t capacity) {
    // The library's header takes at most 256 bytes; we choose which part of the content is cut to fit.
    static const size_t head = 256;
    if (!divan_zstd_is_available() || capacity <= head || count == 0 || sample_count == 0) return 0;
    if (count > capacity - head) {
        content += count - (capacity - head);
        count = capacity - head;
    }
    ZDICT_params_t parameters = {.compressionLevel = level};
    size_t made = library.ZDICT_finalizeDictionary(dictionary, capacity, content, count, samples,
                                                   sample_counts, sample_count, parameters);
    return library.ZDICT_isError(made) ? 0 : made;
}

struct divan_zstd_coder {
    ZSTD_DCtx *reader;
    ZSTD_DDict *read;
    // Created with the first piece that is packed, since most coders only unpack.
    ZSTD_CCtx *writer;
    ZSTD_CDict *written;
    int can_write;
    // A piece with the omitted bytes before it.
    uint8_t *frame;
    size_t frame_capacity;
    size_t count;
    uint8_t dictionary[];
};

// Whether the library rejects a dictionary as invalid: tested with an empty frame, for which it allocates no memory.
static int is_no_dictionary(ZSTD_DCtx *reader, const uint8_t *dictionary, size_t count) {
    static const uint8_t empty[9] = {0x28, 0xB5, 0x2F, 0xFD, 0, 0, 1, 0, 0};
    uint8_t nothing;
    size_t unpacked = library.ZSTD_decompress_usingDict(reader, &nothing, sizeof nothing, empty,
                                                        sizeof empty, dictionary, count);
    return library.ZSTD_isError(unpacked) != 0;
}

divan_zstd_coder *divan_zstd_coder_make(const uint8_t *dictionary, size_t count, int *is_corrupt) {
    *is_corrupt = 0;
    divan_zstd_coder *coder;
    if (!divan_zstd_is_available() || count > SIZE_MAX - sizeof *coder) return NULL;
    coder = calloc(1, sizeof *coder + count);
    if (coder == NULL) return NULL;
    coder->count = count;
    if (count > 0) memcpy(coder->dictionary, dictionary, count);
    coder->reader = library.ZSTD_createDCtx();
    coder->read = library.ZSTD_createDDict(coder->dictionary, count);
    if (coder->reader != NULL && coder->read != NULL) return coder;
    if (coder->reader != NULL) *is_corrupt = is_no_dictionary(coder->reader, coder->dictionary, count);
    divan_zstd_coder_free(coder);
    return NULL;
}

void divan_zstd_coder_free(divan_zstd_coder *coder) {
    library.ZSTD_freeDCtx(coder->reader);
    library.ZSTD_freeDDict(coder->read);
    library.ZSTD_freeCCtx(coder->writer);
    library.ZSTD_freeCDict(coder->written);
    free(coder->frame);
    free(coder);
}

size_t divan_zstd_coder_bound(size_t count) {
    size_t bound = divan_zstd_is_available() ? library.ZSTD_compressBound(count) : 0;
    return bound > 0 && library.ZSTD_isError(bound) ? 0 : bound;
}

// 0 on success.
static int begin_to_write(divan_zstd_coder *coder) {
    if (coder->writer == NULL) coder->writer = library.ZSTD_createCCtx();
    if (coder->written == NULL) {
        coder->written = library.ZSTD_createCDict(coder->dictionary, coder->count, level);
    }
    if (coder->writer == NULL || coder->written == NULL) return -1;
    // The keeper of a piece knows its length and its dictionary, and can tell whether it is intact.
    const int switches[] = {ZSTD_c_contentSizeFlag, ZSTD_c_checksumFlag, ZSTD_c_dictIDFlag};
    for (size_t number = 0; number < sizeof switches / sizeof switches[0]; number++) {
        ZSTD_cParameter parameter = (ZSTD_cParameter)switches[number];
        if (library.ZSTD_isError(library.ZSTD_CCtx_setParameter(coder->writer, parameter, 0))) return -1;
    }
    if (library.ZSTD_isError(library.ZSTD_CCtx_refCDict(coder->writer, coder->written))) return -1;
    coder->can_write = 1;
    return 0;
}

size_t divan_zstd_coder_pack(divan_zstd_coder *coder, const uint8_t *plain, size_t count,
                             uint8_t *output) {
    size_t bound = divan_zstd_coder_bound(count);
    if (count == 0 || bound == 0) return 0;
    if (!coder->can_write && begin_to_write(coder) != 0) return 0;
    size_t packed = library.ZSTD_compress2(coder->writer, output, bound, plain, count);
    if (library.ZSTD_isError(packed) || packed <= sizeof magic) return 0;
    if (memcmp(output, magic, sizeof magic) != 0) return 0;
    memmove(output, output + sizeof magic, packed - sizeof magic);
    return packed - sizeof magic;
}

int divan_zstd_coder_unpack(divan_zstd_coder *coder, const uint8_t *packed, size_t count, uint8_t *output,
                            size_t plain_count) {
    if (count == 0 || plain_count == 0 || count > SIZE_MAX - sizeof magic) return 0;
    size_t frame_count = count + sizeof magic;
    if (coder->frame_capacity < frame_count) {
        uint8_t *frame = realloc(coder->frame, frame_count);
        if (frame == NULL) return -1;
        coder->frame = frame;
        coder->frame_capacity = frame_count;
    }
    memcpy(coder->frame, magic, sizeof magic);
    memcpy(coder->frame + sizeof magic, packed, count);
    // Exactly one frame: bytes after it may be in a format that the library reads for old files.
    if (library.ZSTD_findFrameCompressedSize(coder->frame, frame_count) != frame_count) return 0;
    size_t unpacked = library.ZSTD_decompress_usingDDict(coder->reader, output, plain_count, coder->frame,
                                                         frame_count, coder->read);
    return !library.ZSTD_isError(unpacked) && unpacked == plain_count;
}

struct divan_zstd_reader {
    ZSTD_DCtx *context;
    const char *message;
};

divan_zstd_reader *divan_zstd_reader_make(void) {
    if (!divan_zstd_is_available()) return NULL;
    divan_zstd_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->context = library.ZSTD_createDCtx();
    if (reader->context != NULL) return reader;
    free(reader);
    return NULL;
}

void divan_zstd_reader_free(divan_zstd_reader *reader) {
    library.ZSTD_freeDCtx(reader->context);
    free(reader);
}

enum divan_zstd_step divan_zstd_read(divan_zstd_reader *reader, const uint8_t **input,
                                     size_t *input_count, uint8_t *output, size_t capacity,
                                     size_t *output_count) {
    ZSTD_inBuffer from = {*input, *input_count, 0};
    ZSTD_outBuffer to = {output, capacity, 0};
    size_t result = library.ZSTD_decompressStream(reader->context, &to, &from);
    *input += from.pos;
    *input_count -= from.pos;
    *output_count = to.pos;
    if (library.ZSTD_isError(result)) {
        reader->message = library.ZSTD_getErrorName(result);
        return divan_zstd_failed;
    }
    return result == 0 ? divan_zstd_ended : divan_zstd_open;
}

const char *divan_zstd_reader_message(const divan_zstd_reader *reader) {
    return reader->message == NULL ? "" : reader->message;
}

struct divan_zstd_writer { ZSTD_CCtx *context; };

divan_zstd_writer *divan_zstd_writer_make(int compression_level) {
    if (!divan_zstd_is_available()) return NULL;
    divan_zstd_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return NULL;
    writer->context = library.ZSTD_createCCtx();
    if (writer->context != NULL) {
        size_t first = library.ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel,
                                                      compression_level);
        size_t second = library.ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
        if (!library.ZSTD_isError(first) && !library.ZSTD_isError(second)) return writer;
    }
    library.ZSTD_freeCCtx(writer->context);
    free(writer);
    return NULL;
}

void divan_zstd_writer_free(divan_zstd_writer *writer) {
    library.ZSTD_freeCCtx(writer->context);
    free(writer);
}

enum divan_zstd_step divan_zstd_write(divan_zstd_writer *writer, int is_last, const uint8_t **input,
                                      size_t *input_count, uint8_t *output, size_t capacity,
                                      size_t *output_count) {
    ZSTD_inBuffer from = {*input, *input_count, 0};
    ZSTD_outBuffer to = {output, capacity, 0};
    size_t result = library.ZSTD_compressStream2(writer->context, &to, &from,
                                                 is_last ? ZSTD_e_end : ZSTD_e_continue);
    *input += from.pos;
    *input_count -= from.pos;
    *output_count = to.pos;
    if (library.ZSTD_isError(result)) return divan_zstd_failed;
    return is_last && result == 0 ? divan_zstd_ended : divan_zstd_open;
}

#else

int divan_zstd_is_built_in(void) { return 0; }

int divan_zstd_is_available(void) { return 0; }

size_t divan_zstd_dictionary(const uint8_t *content, size_t count, const uint8_t *samples,
                             const size_t *sample_counts, unsigned sample_count, uint8_t *dictionary,
                             size_t capacity) {
    (void)content, (void)count, (void)samples, (void)sample_counts, (void)sample_count;
    (void)dictionary, (void)capacity;
    return 0;
}

divan_zstd_coder *divan_zstd_coder_make(const uint8_t *dictionary, size_t count, int *is_corrupt) {
    (void)dictionary, (void)count;
    *is_corrupt = 0;
    return NULL;
}

void divan_zstd_coder_free(divan_zstd_coder *coder) { (void)coder; }

size_t divan_zstd_coder_bound(size_t count) {
    (void)count;
    return 0;
}

size_t divan_zstd_coder_pack(divan_zstd_coder *coder, const uint8_t *plain, size_t count,
                             uint8_t *output) {
    (void)coder, (void)plain, (void)count, (void)output;
    return 0;
}

int divan_zstd_coder_unpack(divan_zstd_coder *coder, const uint8_t *packed, size_t count, uint8_t *output,
                            size_t plain_count) {
    (void)coder, (void)packed, (void)count, (void)output, (void)plain_count;
    return 0;
}

divan_zstd_reader *divan_zstd_reader_make(void) { return NULL; }

void divan_zstd_reader_free(divan_zstd_reader *reader) { (void)reader; }

enum divan_zstd_step divan_zstd_read(divan_zstd_reader *reader, const uint8_t **input,
                                     size_t *input_count, uint8_t *output, size_t capacity,
                                     size_t *output_count) {
    (void)reader, (void)input, (void)input_count, (void)output, (void)capacity;
    *output_count = 0;
    return divan_zstd_failed;
}

const char *divan_zstd_reader_message(const divan_zstd_reader *reader) {
    (void)reader;
    return "";
}

divan_zstd_writer *divan_zstd_writer_make(int compression_level) {
    (void)compression_level;
    return NULL;
}

void divan_zstd_writer_free(divan_zstd_writer *writer) { (void)writer; }

enum divan_zstd_step divan_zstd_write(divan_zstd_writer *writer, int is_last, const uint8_t **input,
                                      size_t *input_count, uint8_t *output, size_t capacity,
                                      size_t *output_count) {
    (void)writer, (void)is_last, (void)input, (void)input_count, (void)output, (void)capacity;
    *output_count = 0;
    return divan_zstd_failed;
}

#endif
