import ArgumentParser
import Cairn

extension ImageFetchReport {
  var members: [(String, JSON)] {
    [
      ("imageBytes", JSON(bytes)), ("images", JSON(transferred)),
      ("imagesFailure", JSON(failure.map { CairnError($0).message })), ("imagesLeft", JSON(left)),
    ]
  }

  func print(_ globals: GlobalOptions) {
    if transferred > 0 {
      globals.print("\(count(transferred, "image")) received (\(byteText(bytes))).")
    }
    if left > 0, failure == nil {
      Console.print("\(count(left, "image")) not fetched: the remote does not have them.")
    }
  }

  /// Prints why images were not fetched, and throws the exit code of that error. Call it at the
  /// end: everything else is done.
  ///
  /// - Parameter isRequested: Whether the command was to fetch these images; otherwise it is no error
  ///   that the remote lacks some.
  func endIfFailed(_ globals: GlobalOptions, isRequested: Bool = false) throws {
    guard let failure else {
      if isRequested, left > 0 { throw ExitCode(CairnError.Kind.missingImage.exitCode) }
      return
    }
    let error = CairnError(failure)
    Console.note("\(count(left, "image")) not fetched: \(Console.printable(error.message))")
    // Another attempt would end the same way.
    let next = [.authentication, .corrupt].contains(error.kind) ? error.hint : nil
    Console.hint(next ?? "Everything else is done. `cairn images fetch` tries again.")
    throw ExitCode(error.kind.exitCode)
  }
}
