internal import CairnBase
internal import CairnGit
internal import CairnFiles
internal import CairnSync

/// git's configuration, as far as cairn reads it: of one copy of a dataset, or of the user.
public struct GitConfiguration {
  /// Nil for the user's configuration.
  private let dataset: Dataset?

  fileprivate init(dataset: Dataset?) { self.dataset = dataset }

  /// The configuration of the user, which applies to all datasets on this computer.
  public static var user: GitConfiguration { GitConfiguration(dataset: nil) }

  /// A setting that has a value.
  public struct Entry: Equatable, Sendable {
    /// The key, such as `branch.main.remote`.
    public let key: String
    /// The value that applies, for display: without the password of a URL.
    public let value: String
    /// What it means.
    public let setting: Setting
  }

  private func settings() throws -> GitSettings {
    try dataset.map { try $0.replica.repository.settings() } ?? GitSettings.user()
  }

  /// Returns the value of a key that applies; nil if it is not set.
  public func value(of key: String) throws(CairnError) -> String? {
    try translating { try settings()[key] }
  }

  /// Returns the settings of cairn that have a value, in the order of ``Setting/all``.
  public func entries() throws(CairnError) -> [Entry] {
    try translating {
      let settings = try settings()
      return Setting.all.flatMap { setting -> [Entry] in
        let keys = Set(settings.entries.map(\.key).filter(setting.matches)).sorted()
        return keys.compactMap { key in
          settings[key].map {
            Entry(key: setting.listed(key), value: setting.displayed($0), setting: setting)
          }
        }
      }
    }
  }

  /// Sets a setting, or removes it. A value set for a dataset takes precedence over the user's.
  ///
  /// - Parameter value: Nil to remove it.
  /// - Throws: ``CairnError/Kind/notFound`` if cairn reads no such setting,
  ///   ``CairnError/Kind/invalidInput`` if it cannot have the value.
  public func set(_ key: String, to value: String?) throws(CairnError) {
    guard let setting = Setting.named(key) else {
      let closest = Setting.all.map { (key: $0.key, distance: editDistance($0.key, key)) }
        .filter { $0.distance <= 3 }.min { $0.distance < $1.distance }?.key
      throw CairnError(
        .notFound, "There is no setting “\(key)”.",
        hint: closest.map { "Did you mean `\($0)`?" } ?? "`cairn config list --all` lists them.")
    }
    if let value { try setting.check(value) }
    if let dataset {
      try dataset.edit("config") { _ in
        try dataset.replica.repository.setConfiguration([(key, value)])
      }
    } else {
      try translating { try GitSettings.setUser([(key, value)], files: FileSystem()) }
    }
  }
}

extension Dataset {
  /// git's configuration of this copy of the dataset.
  public var configuration: GitConfiguration { GitConfiguration(dataset: self) }
}
