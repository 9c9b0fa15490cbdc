import ArgumentParser
import Cairn

// Photos without labels, and predictions that nobody confirmed.

extension Review {
  func reviewUnlabeled(
    _ dataset: Dataset, _ query: PhotoQuery, _ shard: ReviewShard?, _ limit: Int?
  ) throws {
    if count {
      let number = try dataset.unlabeledPhotos(query, shard: shard, limit: limit ?? .max).count
      return Console.print(globals, ["count": JSON(number)]) { Console.print("\(number)") }
    }
    let sessionLimit = min(limit ?? Dataset.reviewSessionLimit, Dataset.reviewSessionLimit)
    let photos = try dataset.unlabeledPhotos(query, shard: shard, limit: sessionLimit)
    if globals.json { return try list(dataset, photos, reason: "unlabeled") }
    try label(dataset, photos)
  }

  func reviewUncertain(
    _ dataset: Dataset, _ query: PhotoQuery, _ shard: ReviewShard?, _ limit: Int?
  ) throws {
    let found = try dataset.uncertainPhotos(
      query, labeler: labeler, shard: shard, limit: limit ?? Dataset.uncertainPhotoCount)
    if count {
      let number = found.photos.count
      return Console.print(globals, ["count": JSON(number)]) { Console.print("\(number)") }
    }
    if globals.json { return try list(dataset, found.photos, reason: "uncertain") }
    if found.missingImages > 0 {
      Console.note(
        "\(CairnCLI.count(found.missingImages, "photo")) left out: the image is not on this disk "
          + "or cannot be decoded.")
    }
    try label(dataset, found.photos, of: found)
    Console.hint("Train again: `cairn train \(found.model.model?.name ?? "")`.")
  }

  /// Prints photos without labels as JSON.
  private func list(_ dataset: Dataset, _ photos: [PhotoID], reason: String) throws {
    let list = JSONArrayWriter()
    for photo in photos {
      let rendered = try dataset.show(photo).photo.rendered
      list.add(["class": .null, "photo": rendered, "reason": .string(reason)])
    }
    list.finish()
  }

  /// Asks what each photo shows.
  private func label(
    _ dataset: Dataset, _ photos: [PhotoID], of uncertain: UncertainPhotos? = nil
  ) throws {
    try requireTerminal(hint: "`cairn label PHOTO CLASS` labels one photo.")
    if photos.isEmpty {
      Console.print("Nothing to review.")
      return Console.hint("`cairn review --undo` undoes your last answer.")
    }
    let session = try dataset.startReview()
    let (ui, imageProtocol) = try userInterface()
    let review = UnlabeledReview(
      dataset, session, photos, of: uncertain, ui, try ClassSuggestions(dataset),
      imageProtocol: imageProtocol)
    let signal = try review.run()
    ui.close()
    review.printSummary()
    if let signal { endProcess(128 + signal) }
  }

  func confirmPredictions(
    _ dataset: Dataset, _ query: PhotoQuery?, _ shard: ReviewShard?, _ limit: Int?
  ) throws {
    let all = try dataset.predictedClasses(
      query, className: className, from: least ?? 0.9
    )
    .filter { shard?.contains($0.photo.id) != false }
    let predictions = AllPredicted(
      dataset: dataset, predictions: Array(all.prefix(limit ?? .max)), globals: globals)
    if bulk.dryRun { return predictions.printDryRun() }
    if bulk.yes { return try predictions.confirmAtOnce() }
    if all.isEmpty {
      return Console.print(globals, ["confirmed": JSON(0)]) {
        Console.print("No predictions reach the minimum confidence; `--min` changes it.")
      }
    }
    try predictions.confirmByPage()
  }
}

/// The order in which “What is it?” is asked.
enum ReviewOrder: String, ExpressibleByArgument, CaseIterable {
  case uncertainty
}
