@testable import CairnDocument
@testable import CairnPhotos

/// Image files: their structure, their metadata and their pixels.
let imageTargets = [
  FuzzTarget("image") { input in
    try input.withUnsafeBytes { bytes in
      _ = FileContent(of: bytes)
      let facts = try ImageFacts(inspecting: bytes)
      _ = storedOrientation(of: bytes, facts.format)
      _ = try imageWithoutPosition(bytes, facts.format)
    }
  },
  FuzzTarget("metadata") { input in
    input.withUnsafeBytes { bytes in
      if let facts = try? ImageFacts(inspecting: bytes) {
        _ = PhotoMetadata(of: bytes, facts)
      }
      _ = PhotoMetadata.location(in: bytes, sidecar: input)
    }
    _ = imageWithoutPixels { offset, count in
      Array(input.dropFirst(offset).prefix(count))
    }
  },
  FuzzTarget("pixels") { input in
    _ = try input.withUnsafeBytes { try PixelBuffer(decoding: $0, fitting: 64) }
  },
]
