// Counts the costs of work: allocations of this process, system calls of another.
#define _GNU_SOURCE
#include "CDivanFloors.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: Allocations

// The program's own definitions override the system's, for every library that it loads.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic int counts;
static _Atomic uint64_t allocations;

static void count(void) {
    if (atomic_load_explicit(&counts, memory_order_relaxed))
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

void floor_count_allocations(int on) {
    if (on) atomic_store(&allocations, 0);
    atomic_store(&counts, on);
}

uint64_t floor_allocations(void) { return atomic_load(&allocations); }

// MARK: System calls

// A call that nothing else makes.
#define MARK SYS_getsid

void floor_mark(void) { getsid(0); }

/// Whether a thread stopped at a system call is about to make it, and which.
static int is_entering(pid_t thread, uint64_t *call) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return 0;
    *call = info.entry.nr;
    return info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

/// Runs a stopped program to its end and counts between its marks.
static int64_t trace(pid_t program) {
    int64_t calls = 0;
    int marks = 0, status = 0;
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, 0, options)) return -1;
    for (pid_t thread = program; thread > 0; thread = waitpid(-1, &status, __WALL)) {
        if (WIFEXITED(status) && thread == program && marks > 0)
            return marks == 2 && WEXITSTATUS(status) == 0 ? calls : -1;
        long signal = 0;
        uint64_t call;
        if (WIFSTOPPED(status)) {
            signal = WSTOPSIG(status);
            if (signal == (SIGTRAP | 0x80) && is_entering(thread, &call)) {
                if (call == MARK) marks++;
                else calls += marks == 1;
            }
            // Our own stops must not be passed on to the program.
            if ((signal & 0x7F) == SIGTRAP || signal == SIGSTOP) signal = 0;
        }
        ptrace(PTRACE_SYSCALL, thread, 0, signal);
    }
    return -1;
}

int64_t floor_traced_calls(char *const *arguments) {
    pid_t program = fork();
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    int status;
    if (program < 0 || waitpid(program, &status, 0) != program) return -1;
    return WIFSTOPPED(status) ? trace(program) : -1;
}
