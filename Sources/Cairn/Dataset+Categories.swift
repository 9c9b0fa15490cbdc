extension Dataset {
  /// Returns the classes of the photos that a query asks for, those of most photos first.
  public func categories(
    _ query: PhotoQuery = .everything
  ) throws(CairnError) -> [ClassTally] {
    try translating {
      let similar = try similarPhotos(in: query)
      return try self.query(resolved: true) {
        try $0.classTallies(where: try filter(query, similar, $0))
      }
    }
  }
}
