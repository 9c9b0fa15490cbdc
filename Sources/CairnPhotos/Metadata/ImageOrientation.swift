package import CairnDocument

/// Returns the orientation of an image's stored pixels, 1 to 8, from its EXIF or from the
/// properties of a HEIC; nil when missing or invalid.
///
/// - Parameter image: A whole file.
func orientation(of image: ImageBytes, _ format: ImageFormat) -> Int? {
  switch format {
  case .jpeg, .png, .webp: embeddedEXIF(image, format).flatMap { orientation(inTIFF: $0) }
  case .heic, .avif: (try? HEICStructure(image, format))?.orientation
  default: EmbeddedMetadata(image, format).orientation
  }
}

/// Returns the orientation of an image's stored pixels, 1 to 8, from its EXIF or from the
/// properties of a HEIC; nil when missing or invalid.
///
/// - Parameter bytes: A whole file, read only up to the orientation.
package func storedOrientation(of bytes: UnsafeRawBufferPointer, _ format: ImageFormat) -> Int? {
  orientation(of: ImageBytes(bytes), format)
}
