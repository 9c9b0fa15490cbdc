internal import CairnBase
internal import CairnFiles
package import SystemPackage

// Source: gitattributes(5), “Long Running Filter Process”; gitprotocol-common(5), “pkt-line”.

extension ImageFilter {
  /// Serves git's requests to clean and smudge files until the input ends.
  package func serve(_ input: FileDescriptor, _ output: FileDescriptor) throws {
    var packets = PacketStream(input: input, output: output)
    _ = try packets.readLines()
    try packets.write(lines: ["git-filter-server", "version=2"])
    _ = try packets.readLines()
    try packets.write(lines: ["capability=clean", "capability=smudge"])

    while let request = try packets.readLines() {
      var atEnd = false
      let source: Source = {
        guard !atEnd, let packet = try packets.read() else {
          atEnd = true
          return nil
        }
        return packet
      }
      do {
        // The response begins before the file is read to its end, so buffer it until it has
        // succeeded.
        var answer: [UInt8] = []
        let sink: Sink = { answer += $0 }
        if request.contains("command=clean") {
          try clean(from: source, to: sink)
        } else {
          try smudge(from: source, to: sink)
        }
        while try source() != nil {}
        try packets.write(lines: ["status=success"])
        try packets.write(content: answer)
        try packets.write(lines: [])
      } catch is FileError {
        // git reports which file it was; the next one may succeed.
        while try source() != nil {}
        try packets.write(lines: ["status=error"])
      }
    }
  }
}

/// Packets of git's protocols over two descriptors.
private struct PacketStream {
  let input: FileDescriptor
  let output: FileDescriptor

  /// Reads a packet; nil for a flush, and at the end of the input.
  mutating func read() throws -> [UInt8]? {
    guard let header = try readExactly(4) else { return nil }
    let length = try PacketDecoder.length(header)
    return length == 0 ? nil : try readExactly(length - 4)
  }

  /// Reads text packets up to a flush; nil at the end of the input.
  mutating func readLines() throws -> [String]? {
    var lines: [String] = []
    while true {
      guard let header = try readExactly(4) else { return nil }
      let length = try PacketDecoder.length(header)
      if length == 0 { return lines }
      guard let packet = try readExactly(length - 4) else { return nil }
      let text = String(decoding: packet, as: UTF8.self)
      lines.append(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
  }

  private func readExactly(_ count: Int) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = try bytes.withUnsafeMutableBytes {
        try input.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      if read == 0 { return nil }
      filled += read
    }
    return bytes
  }

  func write(lines: [String]) throws {
    for line in lines { try output.writeAll(PacketEncoder.packet("\(line)\n")) }
    try flush()
  }

  func write(content: [UInt8]) throws {
    var rest = content[...]
    while !rest.isEmpty {
      try output.writeAll(PacketEncoder.packet(Array(rest.prefix(PacketEncoder.contentLimit))))
      rest = rest.dropFirst(PacketEncoder.contentLimit)
    }
    try flush()
  }

  private func flush() throws { try output.writeAll(PacketEncoder.flush) }
}
