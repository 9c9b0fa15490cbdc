import ArgumentParser
import Cairn

/// The arguments of `cairn accept` and `cairn reject`: photos, and a class that models predicted.
struct VerdictArguments: ParsableArguments {
  @OptionGroup var target: PhotosAndClass
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var globals: GlobalOptions

  /// Saves the verdict of the current person on the predictions.
  func save(isRight: Bool) throws {
    let dataset = try globals.dataset()
    let (photos, name) = (try target.ids(in: dataset), target.className)
    if target.selection.isGiven {
      try confirmation.require(dataset.verdictChanges(judging: photos, name, isRight: isRight))
    }
    try dataset.judge(photos, name, isRight: isRight).print(globals)
  }
}
