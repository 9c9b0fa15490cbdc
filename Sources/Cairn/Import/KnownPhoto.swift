internal import CairnDocument
internal import CairnFormats

extension LabelImporter {
  /// A photo that the files name, perhaps in several ways. It is kept small, since files may name a
  /// million.
  struct KnownPhoto {
    let id: PhotoID
    let format: ImageFormat
    let width: Int32
    let height: Int32
    /// Nil until a label with a shape needs it, if the document does not have it.
    var orientation: UInt8?
    /// False once the dataset turns out to have no labels of the photo.
    var mayHaveLabels = true
    /// The hash of the metadata in the files.
    let metadataHash: Int
  }

  /// A fixed-size key for all that a file names a photo by: different photos may share some names,
  /// such as the last part of their URLs.
  struct PhotoKey: Hashable {
    private let first: Int
    private let second: Int

    init(_ photo: ImportedPhoto) {
      func hash(_ salt: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(salt)
        hasher.combine(photo.id)
        hasher.combine(photo.file)
        hasher.combine(photo.directory)
        hasher.combine(photo.otherFiles)
        hasher.combine(photo.formerFile)
        hasher.combine(photo.fullName)
        hasher.combine(photo.byteCount)
        hasher.combine(photo.observation)
        return hasher.finalize()
      }
      (first, second) = (hash(1), hash(2))
    }
  }
}

extension LabelImporter.KnownPhoto {
  init(_ id: PhotoID, _ image: ImageFacts, _ metadata: ImportedMetadata) {
    self.id = id
    (width, height) = (Int32(image.width), Int32(image.height))
    format = image.format
    orientation = image.orientation.map { UInt8($0) }
    metadataHash = metadata.hashValue
  }
}

extension ImageFacts {
  /// Creates image facts sufficient for converting boxes.
  init(_ known: LabelImporter.KnownPhoto) {
    self.init(format: known.format, width: Int(known.width), height: Int(known.height), bytes: 1)
    orientation = known.orientation.map { Int($0) }
  }
}
