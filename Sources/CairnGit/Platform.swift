#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

func sleepMilliseconds(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }
