import CairnDocument

@testable import CairnPhotos

/// Raw photos with the structure that cameras write, and a JPEG as their preview; the samples of the
/// sensor are left out.
///
/// Source: TIFF 6.0; DNG 1.7; Exiv2, tags of Olympus and Panasonic; L. Chevallier, “Describing the
/// Canon Raw v3 (CR3) file format”; libopenraw, “RAF”.
struct RawBuilder {
  let preview: [UInt8]
  let thumbnail: [UInt8]
  var orientation = 6
  /// The length of the second strip of the sensor's samples, in a NEF: here a part of the preview.
  var sensorLength = 9

  /// A field of a directory: its tag, its type, its values and, for bytes, their contents.
  typealias Field = (tag: Int, type: Int, values: [Int], bytes: [UInt8])

  static func numbers(_ tag: Int, _ values: Int..., type: Int = 4) -> Field {
    (tag, type, values, [])
  }

  static func bytes(_ tag: Int, _ bytes: [UInt8], type: Int = 7) -> Field { (tag, type, [], bytes) }

  static func text(_ tag: Int, _ text: String) -> Field {
    bytes(tag, Array(text.utf8) + [0], type: 2)
  }

  /// Returns a little-endian directory at an offset, with the values of its fields after it.
  static func directory(_ fields: [Field], at start: Int, next: Int = 0) -> [UInt8] {
    var (entries, values): ([UInt8], [UInt8]) = ([], [])
    let end = start + 2 + 12 * fields.count + 4
    entries.append(littleEndian: fields.count, count: 2)
    for field in fields.sorted(by: { $0.tag < $1.tag }) {
      var content = field.bytes
      for value in field.values {
        content.append(littleEndian: value, count: [3: 2, 16: 8][field.type] ?? 4)
      }
      let numbers = field.type == 5 ? field.values.count / 2 : field.values.count
      let count = field.values.isEmpty ? field.bytes.count : numbers
      entries.append(littleEndian: field.tag, count: 2)
      entries.append(littleEndian: field.type, count: 2)
      entries.append(littleEndian: count, count: 4)
      if content.count <= 4 {
        entries += content + [UInt8](repeating: 0, count: 4 - content.count)
      } else {
        entries.append(littleEndian: end + values.count, count: 4)
        values += content
      }
    }
    entries.append(littleEndian: next, count: 4)
    return entries + values
  }

  /// Returns a file of directories in a chain, then the JPEGs. `fields` gets the offset of the preview,
  /// of the thumbnail, and of each directory.
  private func file(
    magic: [UInt8], appendsPreview: Bool = true,
    _ fields: (_ preview: Int, _ thumbnail: Int, _ starts: [Int]) -> [[Field]]
  ) -> [UInt8] {
    // Twice: lengths do not depend on offsets.
    func made(_ preview: Int, _ thumbnail: Int, _ starts: [Int]) -> (bytes: [UInt8], starts: [Int])
    {
      var bytes = magic
      bytes.append(littleEndian: magic.count + 4, count: 4)
      var found: [Int] = []
      for directory in fields(preview, thumbnail, starts) {
        found.append(bytes.count)
        bytes += RawBuilder.directory(directory, at: bytes.count)
      }
      return (bytes, found)
    }
    let count = fields(0, 0, [Int](repeating: 0, count: 8)).count
    let (draft, starts) = made(0, 0, [Int](repeating: 0, count: count))
    let first = draft.count
    let file = made(first + thumbnail.count, first, starts).bytes
    return appendsPreview ? file + thumbnail + preview : file
  }

  private func main(_ maker: String, _ more: [Field]) -> [Field] {
    [RawBuilder.text(271, maker), RawBuilder.numbers(274, orientation, type: 3)] + more
  }

  /// The preview and the sensor's samples are in children of the main directory.
  func nef(maker: String = "NIKON CORPORATION") -> [UInt8] {
    file(magic: Array("II*\0".utf8)) { preview, thumbnail, starts in
      [
        main(
          maker,
          [
            RawBuilder.numbers(254, 1), RawBuilder.numbers(330, starts[1], starts[2]),
            RawBuilder.numbers(513, thumbnail), RawBuilder.numbers(514, self.thumbnail.count),
          ]),
        [RawBuilder.numbers(513, preview), RawBuilder.numbers(514, self.preview.count)],
        [
          RawBuilder.numbers(254, 0), RawBuilder.numbers(262, 32803, type: 3),
          RawBuilder.numbers(273, preview, preview + 9), RawBuilder.numbers(279, 9, sensorLength),
        ],
      ]
    }
  }

  /// The preview is a strip in the compression JPEG.
  func dng() -> [UInt8] {
    file(magic: Array("II*\0".utf8)) { preview, _, starts in
      [
        main(
          "Apple",
          [RawBuilder.bytes(50706, [1, 4, 0, 0], type: 1), RawBuilder.numbers(330, starts[1])]),
        [
          RawBuilder.numbers(254, 1), RawBuilder.numbers(259, 7, type: 3),
          RawBuilder.numbers(273, preview), RawBuilder.numbers(279, self.preview.count),
        ],
      ]
    }
  }

  func cr2() -> [UInt8] {
    file(magic: Array("II*\0".utf8) + [16, 0, 0, 0] + Array("CR".utf8) + [2, 0]) { preview, _, _ in
      [
        main(
          "Canon",
          [
            RawBuilder.numbers(259, 6, type: 3), RawBuilder.numbers(273, preview),
            RawBuilder.numbers(279, self.preview.count),
          ])
      ]
    }
  }

  func rw2() -> [UInt8] {
    file(magic: Array("IIU\0".utf8), appendsPreview: false) { _, _, _ in
      [main("Panasonic", [RawBuilder.bytes(0x2E, self.preview)])]
    }
  }

  /// The preview's offset counts from the start of the maker note.
  ///
  /// - Parameters:
  ///   - claims: The offset and the length that the note has instead of the preview's, in eight bytes.
  func orf(claims: (start: Int, count: Int)? = nil) -> [UInt8] {
    let head = Array("OLYMPUS\0II".utf8) + [3, 0]
    func note(_ preview: Int) -> [UInt8] {
      let settings = 12 + 2 + 12 + 4
      return head
        + RawBuilder.directory([RawBuilder.numbers(0x2020, settings, type: 13)], at: 12)
        + RawBuilder.directory(
          [
            RawBuilder.numbers(0x101, claims?.start ?? preview, type: claims == nil ? 4 : 16),
            RawBuilder.numbers(
              0x102, claims?.count ?? self.preview.count, type: claims == nil ? 4 : 16),
          ],
          at: settings)
    }
    let length = note(0).count
    return file(magic: Array("IIRO".utf8), appendsPreview: false) { _, _, starts in
      [
        main("OLYMPUS CORPORATION", [RawBuilder.numbers(34665, starts[1])]),
        [RawBuilder.bytes(37500, note(length) + self.preview)],
      ]
    }
  }

  func raf() -> [UInt8] {
    var bytes = Array("FUJIFILMCCD-RAW 0201".utf8)
    bytes += [UInt8](repeating: 0, count: 84 - bytes.count)
    bytes.append32(bigEndian: 160)
    bytes.append32(bigEndian: preview.count)
    return bytes + [UInt8](repeating: 0, count: 160 - bytes.count) + preview
  }

  func cr3() -> [UInt8] {
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append32(bigEndian: 8 + content.count)
      return bytes + Array(type.utf8) + content
    }
    func identified(_ digits: String, _ content: [UInt8]) -> [UInt8] {
      let bytes = stride(from: 0, to: 32, by: 2).compactMap { start in
        UInt8(digits.dropFirst(start).prefix(2), radix: 16)
      }
      return box("uuid", bytes + content)
    }
    func part(_ fields: [Field]) -> [UInt8] {
      Array("II*\0".utf8) + [8, 0, 0, 0] + RawBuilder.directory(fields, at: 8)
    }
    let metadata =
      box("CMT1", part(main("Canon", [RawBuilder.text(272, "Canon EOS R6")])))
      + box("CMT2", part([RawBuilder.text(36867, "2024:05:01 12:30:00")]))
      + box(
        "CMT4",
        part([
          RawBuilder.text(1, "N"), RawBuilder.numbers(2, 47, 1, 30, 1, 0, 1, type: 5),
          RawBuilder.text(3, "E"), RawBuilder.numbers(4, 8, 1, 30, 1, 0, 1, type: 5),
        ]))
    var shown = [UInt8](repeating: 0, count: 12)
    shown.append32(bigEndian: preview.count)
    return box("ftyp", Array("crx \0\0\0\u{1}crx isom".utf8))
      + box("moov", identified("85c0b687820f11e08111f4ce462b6a48", metadata))
      + identified(
        "eaf42b5e1c984b88b9fbb7dc406e4d16",
        [UInt8](repeating: 0, count: 8) + box("PRVW", shown + preview))
  }
}
