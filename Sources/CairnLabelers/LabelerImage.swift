internal import CairnFiles
internal import CairnPhotos
package import CairnDocument
package import SystemPackage

/// An image passed to a labeler.
package struct LabelerImage: Sendable {
  /// The name in messages: the photo's id, or the name of a file.
  package let name: String
  /// The photo whose image it is; nil for a file outside the dataset.
  package let photo: PhotoID?
  package let path: FilePath
  package let format: ImageFormat
  /// Of the upright image, in pixels.
  package let width: Int
  package let height: Int
  /// The image's URL on the web, if known.
  package let address: String?

  /// The maximum size of an image sent to a service, in bytes.
  package static let sizeLimit = 64 << 20

  package init(
    name: String, photo: PhotoID? = nil, path: FilePath, format: ImageFormat, width: Int,
    height: Int, address: String? = nil
  ) {
    (self.name, self.photo, self.path, self.format) = (name, photo, path, format)
    (self.width, self.height, self.address) = (width, height, address)
  }

  var mediaType: String { sentFormat.mediaType }
  /// The extension of the file that is sent, without the dot.
  var sentExtension: String { sentFormat.fileExtension }

  /// Services and programs accept these three; few accept others.
  private var sentFormat: ImageFormat {
    switch format {
    case .jpeg, .png, .webp: format
    default: .jpeg
    }
  }

  /// Returns the image's bytes in a format that services accept.
  func bytes() throws(LabelerError) -> [UInt8] {
    let stored = try storedBytes()
    guard sentFormat != format else { return stored }
    do throws(ImageError) {
      let pixels = stored.withUnsafeBytes { bytes in
        Result { () throws(ImageError) in try PixelBuffer(decoding: bytes, alpha: .dropped) }
      }
      if let bytes = try pixels.get().jpegBytes(quality: 90) { return bytes }
    } catch {
      throw LabelerError("the image \(error)")
    }
    throw LabelerError("the image is too large to send")
  }

  /// Calls `body` with the image's file in a format that programs accept: the original, or a JPEG
  /// in `directory`, which only this user can read and which is removed when `body` returns.
  func withFile<Value>(
    in directory: FilePath, _ body: (FilePath, ImageFormat) throws(LabelerError) -> Value
  ) throws(LabelerError) -> Value {
    guard sentFormat != format else { return try body(path, format) }
    let (files, bytes) = (FileSystem(), try bytes())
    let file = directory.appending(TemporaryName.make("image") + ".jpg")
    defer { try? files.remove(file) }
    do throws(FileError) {
      try files.createDirectory(directory)
      try files.create(file, bytes, permissions: .ownerReadWrite)
    } catch {
      throw LabelerError("the image cannot be converted to JPEG: \(error)", scope: .doubtful)
    }
    return try body(file, sentFormat)
  }

  private func storedBytes() throws(LabelerError) -> [UInt8] {
    do throws(FileError) {
      if let bytes = try FileSystem().read(path, limit: LabelerImage.sizeLimit) { return bytes }
    } catch {
      if error.code == .fileTooLarge {
        throw LabelerError("the image is larger than \(LabelerImage.sizeLimit >> 20) MiB")
      }
      throw LabelerError("the image cannot be read: \(error)")
    }
    throw LabelerError("the image is not on this disk")
  }
}
