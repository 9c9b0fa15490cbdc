import Cairn
import CairnFiles
import SystemPackage

extension ValueKind {
  /// Whether files, or only directories, complete the value; the shell lists them.
  var files: FileCompletion? {
    switch self {
    case .file, .photosAndClasses: .files
    case .directory: .directories
    default: nil
    }
  }

  /// Returns the values that begin with what was typed.
  ///
  /// - Parameter dataset: Opens the dataset; without one, there are no values from it.
  func candidates(_ typed: String, _ dataset: () throws -> Dataset) -> [Candidate] {
    do {
      switch self {
      case .none, .file, .directory: return []
      case .oneOf(let words): return Self.matching(words, typed)
      case .listOf(let words): return Self.lastItem(typed) { Self.matching(words, $0) }
      case .classList:
        let dataset = try dataset()
        return Self.lastItem(typed) { (try? Self.terms("label", $0, dataset)) ?? [] }
      case .class, .photosAndClasses: return try Self.terms("label", typed, dataset())
      case .pin: return try Self.terms("pin", typed, dataset())
      case .model: return try Self.terms("model", typed, dataset())
      case .run: return try Self.terms("run", typed, dataset())
      case .person:
        return try Self.terms("by", typed, dataset()).filter { $0.text != "me" }
      case .query: return try Self.query(typed, dataset())
      case .classSet:
        return Self.matching(Set(try dataset().classes().compactMap(\.set?.text)).sorted(), typed)
      case .remote: return Self.matching(try dataset().remotes().map(\.name), typed)
      case .labeler: return Self.matching(try dataset().labelers().map(\.name), typed)
      case .split: return Self.matching(try dataset().splits().map(\.name), typed)
      case .operation:
        return try dataset().operations().filter { !$0.isUndone }
          .map { Candidate(text: String($0.number), detail: $0.text) }
          .filter { $0.text.hasPrefix(typed) }
      case .setting: return Self.settings(typed, try? dataset().remotes().map(\.name))
      case .preset: return Self.matching(LabelerPreset.all.map(\.name), typed)
      }
    } catch {
      // There is nobody to report an error to while a word is typed.
      return []
    }
  }

  private static func matching(_ words: [String], _ typed: String) -> [Candidate] {
    words.filter { $0.lowercased().hasPrefix(typed.lowercased()) }.map { Candidate(text: $0) }
  }

  /// Returns keys of the configuration; those of remotes have the remotes' names.
  private static func settings(_ typed: String, _ remotes: [String]?) -> [Candidate] {
    let start = "remote.NAME."
    let keys = Setting.all.flatMap { setting in
      let keys =
        setting.key.hasPrefix(start)
        ? (remotes ?? []).map { "remote.\($0)." + setting.key.dropFirst(start.count) }
        : [setting.key]
      return keys.map { Candidate(text: $0, detail: setting.meaning) }
    }
    return keys.filter {
      !$0.text.contains(".NAME.") && $0.text.lowercased().hasPrefix(typed.lowercased())
    }
  }

  /// Returns candidates for the last item of a list with commas, after the items before it.
  private static func lastItem(_ typed: String, _ items: (String) -> [Candidate]) -> [Candidate] {
    let end = typed.lastIndex(of: ",").map { typed.index(after: $0) } ?? typed.startIndex
    return items(String(typed[end...])).map {
      Candidate(text: typed[..<end] + $0.text, detail: $0.detail)
    }
  }

  /// Returns the values of a query's key.
  private static func terms(
    _ key: String, _ typed: String, _ dataset: Dataset
  ) throws -> [Candidate] {
    try dataset.queryCompletion(of: "\(key):\"\(typed)").candidates
      .filter { $0.text.lowercased().hasPrefix(typed.lowercased()) }
      .map { Candidate(text: $0.text, detail: $0.detail) }
  }

  /// Returns candidates for the last term of a query, after what comes before it.
  private static func query(_ typed: String, _ dataset: Dataset) throws -> [Candidate] {
    let completion = try dataset.queryCompletion(of: typed)
    let before = String(decoding: typed.utf16.prefix(completion.start), as: UTF16.self)
    return completion.candidates.map { Candidate(text: before + $0.quoted, detail: $0.detail) }
  }
}

/// The files that complete a value.
enum FileCompletion: String {
  case files, directories
}
