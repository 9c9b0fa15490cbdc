// What the thread sanitizer must know about Swift's standard library, which is not compiled for it.
// Linked into each program.
//
// While other threads wait for a Mutex, the library locks and unlocks it where the sanitizer does not
// see that: everything the lock protects would look like a data race. The functions here are called
// in place of the library's, and tell the sanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *);
void __tsan_release(void *);

// Creating an array with no capacity sets the count of the shared empty array to 0, which it already is.
const char *__tsan_default_suppressions(void) { return "race:_swiftEmptyArrayStorage\n"; }

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void Lock(uint32_t, __attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) void Unlock(__attribute__((swift_context)) void *);

static Lock *systemLock;
static Unlock *systemUnlock;

__attribute__((constructor)) static void start(void) {
  systemLock = (Lock *)dlsym(RTLD_NEXT, LOCK);
  systemUnlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

__attribute__((swiftcall)) void lock(
    uint32_t thread, __attribute__((swift_context)) void *mutex) __asm__(LOCK);
__attribute__((swiftcall)) void lock(
    uint32_t thread, __attribute__((swift_context)) void *mutex) {
  systemLock(thread, mutex);
  __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) void *mutex) __asm__(UNLOCK);
__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) void *mutex) {
  __tsan_release(mutex);
  systemUnlock(mutex);
}
