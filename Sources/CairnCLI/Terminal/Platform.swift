import Cairn
import LibC
import SystemPackage

func changeDirectory(_ path: String) -> Bool { chdir(path) == 0 }

func currentDirectory() -> FilePath {
  guard let path = getcwd(nil, 0) else { return "." }
  defer { free(path) }
  return FilePath(String(cString: path))
}

/// Returns the path of this executable, which git runs as a filter.
func ownExecutable() -> FilePath? {
  #if os(Linux)
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
  #else
    guard let path = realpath(CommandLine.arguments[0], nil) else { return nil }
  #endif
  defer { free(path) }
  return FilePath(String(cString: path))
}

func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

private let start = ContinuousClock.now

/// Returns the milliseconds of a clock that never goes backward.
func monotonicMilliseconds() -> Int64 {
  let time = start.duration(to: .now).components
  return time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000
}

/// Writes all of a text; false on an error.
@discardableResult
func writeAll(_ text: String, to descriptor: CInt) -> Bool {
  (try? FileDescriptor(rawValue: descriptor).writeAll(text.utf8)) != nil
}

/// Returns a time in the local time zone: `2026-11-20 23:31`; empty for a timeless stamp.
func localTime(_ stamp: Stamp) -> String {
  stamp.isTimeless ? "" : localTime(milliseconds: stamp.milliseconds)
}

func localTime(milliseconds: Int64) -> String {
  var seconds = time_t(milliseconds / 1000)
  var local = tm()
  localtime_r(&seconds, &local)
  var buffer = [CChar](repeating: 0, count: 32)
  let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &local)
  return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func endProcess(_ code: Int32) -> Never { exit(code) }
