import Foundation

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
