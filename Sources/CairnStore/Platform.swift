#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

func sleepMilliseconds(_ milliseconds: Int64) { usleep(UInt32(milliseconds) * 1000) }
