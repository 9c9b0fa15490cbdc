internal import CairnFiles
public import CairnDocument
public import SystemPackage

/// One image that a labeler is asked about.
public struct LabelerImage: Sendable {
  /// What to call it: the photo's id, or the name of a file.
  public let name: String
  public let path: FilePath
  public let format: ImageFormat
  /// In pixels, upright.
  public let width: Int
  public let height: Int
  /// Where the web has it, where that is known.
  public let address: String?

  /// The largest image that is sent to a service, in bytes.
  public static let sizeLimit = 64 << 20

  public init(
    name: String, path: FilePath, format: ImageFormat, width: Int, height: Int,
    address: String? = nil
  ) {
    (self.name, self.path, self.format) = (name, path, format)
    (self.width, self.height, self.address) = (width, height, address)
  }

  var mediaType: String { "image/\(format.rawValue)" }

  func bytes() throws(LabelerError) -> [UInt8] {
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
