/// The sources that there are. Names are stable: they stand in the credits of photos.
public enum SourceName: String, Sendable, CaseIterable {
  case flickr, commons, inaturalist, openverse
  case dogCEO = "dog.ceo"
  /// A list of addresses.
  case urls
  case folder

  /// What people call it.
  public var title: String {
    switch self {
    case .flickr: "Flickr"
    case .commons: "Wikimedia Commons"
    case .inaturalist: "iNaturalist"
    case .openverse: "Openverse"
    case .dogCEO: "dog.ceo"
    case .urls: "a list of addresses"
    case .folder: "a folder"
    }
  }

  /// Where it is asked; nil for what is not a service.
  public var url: String? {
    switch self {
    case .flickr: "https://api.flickr.com/services/rest/"
    case .commons: "https://commons.wikimedia.org/w/api.php"
    case .inaturalist: "https://api.inaturalist.org/v1/"
    case .openverse: "https://api.openverse.org/v1/"
    case .dogCEO: "https://dog.ceo/api/"
    case .urls, .folder: nil
    }
  }

  public enum KeyUse: String, Sendable { case required, optional, none }

  public var keyUse: KeyUse {
    switch self {
    case .flickr: .required
    case .openverse: .optional
    default: .none
    }
  }

  /// The page that says how it may be used, and where keys are given out.
  public var terms: String? {
    switch self {
    case .flickr: "https://www.flickr.com/services/api/tos/"
    case .commons: "https://www.mediawiki.org/wiki/Wikimedia_APIs/Access_policy"
    case .inaturalist: "https://www.inaturalist.org/pages/api+recommended+practices"
    case .openverse: "https://docs.openverse.org/terms_of_service.html"
    case .dogCEO: "https://dog.ceo/dog-api/about"
    case .urls, .folder: nil
    }
  }

  /// Whether it knows where its photos were taken.
  public var knowsPlaces: Bool { [.flickr, .commons, .inaturalist].contains(self) }

  /// Whether it must be told what to look for, in words or by a place where it knows places.
  public var needsWordsOrPlace: Bool { [.flickr, .commons, .openverse].contains(self) }

  /// Whether it knows under which licence its photos are.
  public var knowsLicences: Bool { ![.dogCEO, .urls, .folder].contains(self) }

  /// What is taken when nobody says which licences: whatever may be copied and shown to others. A
  /// dataset is shared.
  public var usualLicences: Set<LicenceKind>? {
    switch self {
    case .flickr, .inaturalist: LicenceKind.open
    // Nothing else is there.
    case .commons, .openverse: nil
    case .dogCEO, .urls, .folder: nil
    }
  }

  /// Who says what is on its photos, where it knows: it is no person of the dataset, so its word is a
  /// prediction that people confirm or correct.
  public var annotator: String? {
    switch self {
    case .inaturalist: "model:inaturalist@research-grade"
    case .dogCEO: "model:dog.ceo@1"
    default: nil
    }
  }

  /// The variable of the environment that has its key, or with `URL` its address.
  public func variable(_ what: String) -> String {
    "CAIRN_" + rawValue.uppercased().map { $0 == "." ? "_" : $0 } + "_" + what
  }

  /// How it may be asked.
  ///
  /// Source: Flickr Developer Guide, 3,600 an hour; api.inaturalist.org swagger_v1.yml, 60 a minute;
  /// openverse api/conf/settings/rest_framework.py, 20 a minute without a key.
  var questions: HostPace {
    switch self {
    case .flickr: HostPace(perMinute: 60, burst: 5, lines: 1)
    case .commons: HostPace(perMinute: 120, burst: 5, lines: 1)
    case .inaturalist: HostPace(perMinute: 60, burst: 3, lines: 1)
    case .openverse: HostPace(perMinute: 20, burst: 3, lines: 1)
    case .dogCEO: HostPace(perMinute: 120, burst: 5, lines: 1)
    case .urls, .folder: HostPace(perMinute: 600, burst: 10, lines: 1)
    }
  }

  /// How each host that has its images may be asked for them.
  ///
  /// Source: Wikimedia's robot policy, two at a time; iNaturalist's recommended practices, less than
  /// 5 GB an hour.
  var images: HostPace {
    switch self {
    case .commons: HostPace(perMinute: 240, burst: 8, lines: 2)
    case .inaturalist: HostPace(perMinute: 120, burst: 8, lines: 4)
    default: HostPace(perMinute: 600, burst: 16, lines: 4)
    }
  }
}
