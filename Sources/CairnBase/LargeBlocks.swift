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
