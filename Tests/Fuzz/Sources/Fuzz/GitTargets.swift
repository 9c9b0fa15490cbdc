@testable import CairnBase
@testable import CairnGit
@testable import CairnProcess
@testable import CairnTransport

/// Objects, git's index and configuration, and git's protocol.
let gitTargets = [
  FuzzTarget("commit") { input in
    let commit = try input.withUnsafeBytes { try Commit(bytes: $0) }
    let bytes = commit.bytes
    _ = try bytes.withUnsafeBytes { try Commit(bytes: $0) }
  },
  FuzzTarget("tree") { input in
    _ = try input.withUnsafeBytes { try Tree(bytes: $0) }.bytes
  },
  FuzzTarget("delta") { input in
    let parts = parts(of: input)
    if parts.count == 2 { _ = try PackDelta.apply(parts[1], to: parts[0]) }
  },
  FuzzTarget("index") { input in
    let mayHaveConflicts = input.withUnsafeBytes { bytes in
      if let scan = IndexScan(bytes, modified: 0, below: ["labels", "photos"]) {
        for directory in scan.directories { _ = scan.names(in: directory) }
      }
      return IndexScan.mayHaveConflicts(bytes)
    }
    let index = try IndexFile(bytes: input, modified: 0)
    precondition(
      mayHaveConflicts || index.entries.allSatisfy { $0.stage == 0 }, "a conflict is overlooked")
    var bytes: [UInt8] = []
    try index.write { bytes += $0 }
    _ = try IndexFile(bytes: bytes, modified: 0)
  },
  FuzzTarget("git-config") { input in
    _ = try ConfigParser.entries(of: String(decoding: input, as: UTF8.self))
  },
  FuzzTarget("refs") { input in
    var advertisement = ReferenceAdvertisement()
    try feed(input) { try advertisement.take($0) }
  },
  FuzzTarget("fetch-response") { input in
    var response = FetchResponse()
    var size = 0
    try feed(input) { try response.take($0) { size += $0.count } }
    precondition(size <= input.count, "a pack is larger than the response")
  },
  FuzzTarget("push-response") { input in
    for usesSideband in [true, false] {
      var response = PushResponse(usesSideband: usesSideband)
      try? feed(input) { try response.take($0) }
      _ = response.outcome(of: "refs/heads/main")
      let text = response.messages.lines.joined()
      precondition(!text.unicodeScalars.contains("\u{1B}"), "a message has an escape character")
    }
  },
]

/// Decodes packets until `take` returns that there are no more.
private func feed(_ input: [UInt8], _ take: (Packet) throws -> Bool) throws {
  var decoder = PacketDecoder()
  var isOpen = true
  try forEachPiece(of: input) { if isOpen { isOpen = try decoder.feed($0, take) } }
}
