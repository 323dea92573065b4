// Shows the thread sanitizer what Swift's Mutex does under contention.
//
// The first attempt to lock is compiled into our modules, where the sanitizer sees it; if that
// fails, the toolchain's library waits and locks, and the sanitizer does not see that. It then
// reports accesses to whatever the mutex guards as races. This library is loaded before the toolchain's,
// calls its functions, and explains them to the sanitizer (Swift 6.3, Linux).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT_METHOD __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

// The processes that only start the tests have no sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT_METHOD void (*lock_slow)(uint32_t thread, SWIFT_SELF void *mutex);
typedef SWIFT_METHOD void (*unlock_slow)(SWIFT_SELF void *mutex);

SWIFT_METHOD void divan_lock(uint32_t thread, SWIFT_SELF void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT_METHOD void divan_unlock(SWIFT_SELF void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

static lock_slow next_lock;
static unlock_slow next_unlock;

__attribute__((constructor)) static void find(void) {
    next_lock = (lock_slow)dlsym(
        RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    next_unlock = (unlock_slow)dlsym(
        RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
}

SWIFT_METHOD void divan_lock(uint32_t thread, SWIFT_SELF void *mutex) {
    if (next_lock == NULL) find();
    next_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT_METHOD void divan_unlock(SWIFT_SELF void *mutex) {
    if (next_unlock == NULL) find();
    if (__tsan_release) __tsan_release(mutex);
    next_unlock(mutex);
}
