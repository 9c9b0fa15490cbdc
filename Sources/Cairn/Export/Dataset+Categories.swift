extension Dataset {
  /// Returns the classes of the photos that match a query, most frequent first.
  public func categories(
    _ query: PhotoQuery = .everything
  ) throws(CairnError) -> [ClassCount] {
    try translating {
      let similar = try similarPhotos(in: query)
      return try self.query(resolved: true) {
        try $0.classTallies(where: try filter(query, similar, $0))
      }
    }
  }
}
