// Makes each read and write of a program transfer at most SHORT_IO bytes, as a pipe, a network file
// system or a signal may: for LD_PRELOAD. System calls that glibc makes for itself are not changed.
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static size_t shortened(size_t size) {
  const char *text = getenv("SHORT_IO");
  size_t limit = text ? strtoul(text, NULL, 10) : ULONG_MAX;
  return size < limit ? size : limit;
}

ssize_t read(int file, void *bytes, size_t size) {
  return syscall(SYS_read, file, bytes, shortened(size));
}

ssize_t write(int file, const void *bytes, size_t size) {
  return syscall(SYS_write, file, bytes, shortened(size));
}

// libgit2 reads the checksum of a pack with one call, and takes a shorter answer for damage.
ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  return syscall(SYS_pread64, file, bytes, size <= 20 ? size : shortened(size), offset);
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
