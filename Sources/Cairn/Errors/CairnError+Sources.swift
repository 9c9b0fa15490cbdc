internal import CairnSources

extension CairnError {
  init(source error: SourceError) {
    let kind: Kind =
      switch error.kind {
      case .needsKey, .wrongKey: .authentication
      case .badQuery: .invalidInput
      case .notFound: .notFound
      case .untrusted: .untrusted
      case .notAnImage, .tooLarge: .invalidImage
      case .refused: .refused
      case .busy, .unreachable, .garbled, .noLibrary, .cancelled: .unreachable
      }
    let name = SourceName.allCases.first { $0.title == error.source }?.rawValue ?? "NAME"
    let hint: String? =
      switch error.kind {
      case .needsKey, .wrongKey:
        "`cairn source set \(name) --key` keeps a key with git's credential helpers; `cairn source list` "
          + "shows where to get one."
      case .badQuery: "`cairn help photo fetch` says what each source can be asked."
      case .notFound: "Check how it is written."
      case .busy: "Run it again later; what is here stays."
      case .unreachable: "Check the network, then run it again; what is here stays."
      case .garbled: "Is its address right? `cairn source list` shows it."
      case .untrusted: "If its certificate is signed by your own authority: `CURL_CA_BUNDLE=FILE`."
      case .noLibrary: "Install libcurl."
      case .refused, .notAnImage, .tooLarge, .cancelled: nil
      }
    self.init(kind, "\(error).", hint: hint)
  }
}
