internal import LibC

/// Makes the C library return blocks of 1 MiB or more to the system as soon as they are freed, from
/// now on: for long work with tables that grow.
///
/// By default, glibc keeps the space of freed tables for later ones, and small objects that take
/// some of it keep it from being returned. Other C libraries have no such setting.
package func returnLargeBlocks() {
  typealias SetOption = @convention(c) (_ option: CInt, _ value: CInt) -> CInt
  guard let symbol = dlsym(nil, "mallopt") else { return }
  let mmapThreshold: CInt = -3
  _ = unsafeBitCast(symbol, to: SetOption.self)(mmapThreshold, 1 << 20)
}

/// Makes the C library return the pages between blocks in use to the system: for a process that
/// goes on after work with much memory. Takes about 0.1 seconds for 200 MB.
///
/// By default, glibc returns only the end of a thread's memory. Other C libraries do so by
/// themselves.
package func returnFreePages() {
  typealias Trim = @convention(c) (_ kept: Int) -> CInt
  guard let symbol = dlsym(nil, "malloc_trim") else { return }
  _ = unsafeBitCast(symbol, to: Trim.self)(0)
}

/// Returns the resident memory of this process that holds no files, in bytes; nil if `/proc` is not
/// available (`statm` in proc(5)).
package func anonymousMemory() -> Int? {
  let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 128)
  let count = read(descriptor, &bytes, bytes.count)
  guard count > 0 else { return nil }
  let fields = bytes[..<count].split(separator: UInt8(ascii: " "))
    .prefix(3).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
  // Of them, the second are resident, and the third are those of files.
  guard fields.count == 3 else { return nil }
  return (fields[1] - fields[2]) * sysconf(Int32(_SC_PAGESIZE))
}
