extension ClassKey {
  /// The class by which one person says that a photo is among their favourites.
  ///
  /// It says something of the person, not of the photo: it is told as any label is, and nothing is
  /// resolved from it.
  public static let favorite = ClassKey("favorite")!
}
