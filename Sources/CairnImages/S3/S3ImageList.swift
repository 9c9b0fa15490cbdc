internal import CairnDocument

/// What has been read of the list of a bucket's images, in the order of their ids. A pure value.
///
/// The list is read page by page, each only after some images were asked for one by one, so that a
/// few images do not wait for the list of a large bucket.
struct S3ImageList {
  /// A page to read.
  struct Page: Equatable {
    /// The server's token for it; nil for the first page.
    let token: String?
  }

  /// Number of images to ask for before each page.
  private static let imagesPerPage = 8
  /// Maximum number of pages to read, of 1,000 images each.
  private static let pageLimit = 1000

  private var images: Set<PhotoID> = []
  /// The last image that was read; nil before the first page.
  private var last: PhotoID?
  private var isComplete = false
  /// The page to read next; nil while one is read, and if there is none.
  private var next: Page? = Page(token: nil)
  private var pages = 0
  /// Number of images about which the list did not tell enough.
  private var asked = 0

  /// Whether the bucket lacks an image; false if the list does not tell.
  func lacks(_ image: PhotoID) -> Bool {
    let isCovered = isComplete || last.map { image <= $0 } == true
    return isCovered && !images.contains(image)
  }

  /// Counts an image to ask for.
  ///
  /// - Returns: The page to read first, for ``add(_:next:isLast:)``; nil if it is not time for one.
  mutating func takePage() -> Page? {
    asked += 1
    guard asked > S3ImageList.imagesPerPage * (pages + 1), let page = next else { return nil }
    next = nil
    return page
  }

  /// Adds the page that was taken. If it could not be read, no more are.
  ///
  /// - Parameters:
  ///   - token: The token for the next page.
  ///   - isLast: Whether the list ends here.
  mutating func add(_ images: [PhotoID], next token: String?, isLast: Bool) {
    self.images.formUnion(images)
    last = images.last ?? last
    isComplete = isLast
    pages += 1
    if !isLast, pages < S3ImageList.pageLimit { next = token.map { Page(token: $0) } }
  }
}
