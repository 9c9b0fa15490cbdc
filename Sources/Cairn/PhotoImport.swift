public import CairnDocument
public import SystemPackage

/// How to add photos.
public struct PhotoImport {
  /// Where the photos are said to be taken.
  public enum PinChoice: Equatable, Sendable {
    case none
    case pin(PinID)
    /// The nearest pin to where the file of each says that it was taken, in metres.
    case nearest(within: Double)
    /// The same; where there is none, pins are made, so that each photo with a place has one.
    case automatic(within: Double)
  }

  public var pin: PinChoice = .none
  /// Whether words and named regions in the files become labels of the person at work.
  public var takesKeywords = true
  /// Leaves out photos that look like one that is there, or that came before: at most so many bits of
  /// their ``PerceptualHash`` differ. Nil to leave out none.
  public var similarity: Int?
  /// Called with the number of files done and their total.
  public var progress: (Int, Int) -> Void = { _, _ in }
  /// Asked before each file whether to stop; what was added until then stays, and is returned.
  public var isStopped: () -> Bool = { false }

  public init() {}
}

/// What became of one file that was to be added.
public struct AddedPhoto: Sendable {
  public enum Status: String, Sendable {
    case added
    /// The dataset has the photo already; nothing was changed.
    case known
    /// It looks like another photo, and was to be left out then.
    case similar
    case failed
  }

  public let file: FilePath
  public let status: Status
  /// Nil when the file could not be read.
  public let id: PhotoID?
  /// Why it failed, or what there is to know about it.
  public let note: String?
  /// The classes that the words and regions in the file became labels of.
  public var labels: [ClassKey] = []
  public var pin: PinID?

  init(_ file: FilePath, _ status: Status, _ id: PhotoID? = nil, note: String? = nil) {
    (self.file, self.status, self.id, self.note) = (file, status, id, note)
  }
}
