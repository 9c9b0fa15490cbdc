#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

func removeFile(_ path: String) { unlink(path) }
