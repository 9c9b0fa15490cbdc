import Foundation

/// A reader of outside data: it may reject bytes, but must neither crash, hang nor take much memory.
struct FuzzTarget: Sendable {
  let name: String
  let read: @Sendable (_ input: [UInt8]) throws -> Void

  init(_ name: String, _ read: @escaping @Sendable (_ input: [UInt8]) throws -> Void) {
    (self.name, self.read) = (name, read)
  }

  static let all =
    documentTargets + gitTargets + serverTargets + imageTargets + modelTargets + importTargets
}

/// The target that the environment variable `FUZZ_TARGET` names.
private let target: FuzzTarget? = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
  return FuzzTarget.all.first { $0.name == name }
}()

/// libFuzzer calls this once, before all inputs. Without a target, prints the names of all targets.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?)
  -> CInt
{
  if target == nil {
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    exit(ProcessInfo.processInfo.environment["FUZZ_TARGET"] == nil ? 0 : 64)
  }
  return 0
}

/// libFuzzer calls this for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // An error is a right answer to bytes that are invalid.
  try? target?.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

/// Returns the parts of an input that `@@` on a line of its own separates.
func parts(of input: [UInt8]) -> [[UInt8]] {
  let separator = Array("\n@@\n".utf8)
  var parts: [[UInt8]] = [[]]
  var rest = input[...]
  while let first = rest.first {
    if first == separator[0], rest.starts(with: separator) {
      parts.append([])
      rest = rest.dropFirst(separator.count)
    } else {
      parts[parts.count - 1].append(first)
      rest = rest.dropFirst()
    }
  }
  return parts
}
