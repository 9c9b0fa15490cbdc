extension ClassKey {
  /// The class that marks a photo as one person's favorite.
  ///
  /// It is stored like any label, but takes no part in resolution.
  public static let favorite = ClassKey("favorite")!
}
