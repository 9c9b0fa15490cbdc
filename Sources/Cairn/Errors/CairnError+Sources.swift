internal import CairnSources

extension CairnError {
  init(source error: SourceError) {
    let kind: Kind =
      switch error.kind {
      case .needsKey, .wrongKey: .authentication
      case .unsupportedQuery: .invalidInput
      case .notFound: .notFound
      case .untrusted: .untrusted
      case .notAnImage, .tooLarge: .invalidImage
      case .refused: .refused
      case .busy, .unreachable, .invalidResponse, .noLibrary: .unreachable
      case .cancelled: .cancelled
      }
    let name = SourceName.allCases.first { $0.title == error.source }?.rawValue ?? "NAME"
    let hint: String? =
      switch error.kind {
      case .needsKey, .wrongKey:
        "Store a key with `cairn source set \(name) --key`; `cairn source list` shows where to get "
          + "one."
      case .unsupportedQuery: "`cairn help photo fetch` describes what each source accepts."
      case .notFound: "Check the spelling."
      case .busy: "Try again later; photos fetched so far are kept."
      case .unreachable: "Check the network, then try again; photos fetched so far are kept."
      case .invalidResponse: "Check its address: `cairn source list`."
      case .untrusted: "If a private authority signed its certificate, set `CURL_CA_BUNDLE=FILE`."
      case .noLibrary: "Install libcurl."
      case .refused, .notAnImage, .tooLarge, .cancelled: nil
      }
    self.init(kind, "\(error).", hint: hint)
  }
}
