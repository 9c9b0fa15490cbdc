// Makes each read and write of cairn and git transfer at most SHORT_IO bytes, as a pipe, a network
// file system or a signal may: for LD_PRELOAD. System calls that glibc makes for itself are not
// changed. Other programs keep theirs: bash cannot read its scripts a few bytes at a time. Creates the
// file SHORT_IO_MARK when it takes effect.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static size_t limit = SSIZE_MAX;

__attribute__((constructor)) static void start(void) {
  const char *text = getenv("SHORT_IO"), *name = program_invocation_short_name;
  if (!text || (strncmp(name, "cairn", 5) != 0 && strncmp(name, "git", 3) != 0)) return;
  limit = strtoul(text, NULL, 10);
  const char *mark = getenv("SHORT_IO_MARK");
  if (mark) close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static size_t shortened(size_t size) { return size < limit ? size : limit; }

ssize_t read(int file, void *bytes, size_t size) {
  return syscall(SYS_read, file, bytes, shortened(size));
}

ssize_t write(int file, const void *bytes, size_t size) {
  return syscall(SYS_write, file, bytes, shortened(size));
}

// libgit2 reads the checksum of a pack, 20 bytes, with one call, and treats a shorter result as damage.
ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  return syscall(SYS_pread64, file, bytes, size == 20 ? size : shortened(size), offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  return syscall(SYS_pwrite64, file, bytes, shortened(size), offset);
}

ssize_t writev(int file, const struct iovec *pieces, int count) {
  for (int index = 0; index < count; index++)
    if (pieces[index].iov_len > 0) return write(file, pieces[index].iov_base, pieces[index].iov_len);
  return 0;
}

ssize_t sendfile64(int output, int input, off64_t *offset, size_t size) {
  return syscall(SYS_sendfile, output, input, offset, shortened(size));
}

ssize_t copy_file_range(
    int input, off64_t *from, int output, off64_t *to, size_t size, unsigned flags) {
  return syscall(SYS_copy_file_range, input, from, output, to, shortened(size), flags);
}

ssize_t pread(int, void *, size_t, off_t) __attribute__((alias("pread64")));
ssize_t pwrite(int, const void *, size_t, off_t) __attribute__((alias("pwrite64")));
ssize_t sendfile(int, int, off_t *, size_t) __attribute__((alias("sendfile64")));

// What fortified programs call instead.
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room) {
  return size > room ? (abort(), -1) : read(file, bytes, size);
}

ssize_t __pread64_chk(int file, void *bytes, size_t size, off64_t offset, size_t room) {
  return size > room ? (abort(), -1) : pread64(file, bytes, size, offset);
}

ssize_t __pread_chk(int, void *, size_t, off_t, size_t) __attribute__((alias("__pread64_chk")));
