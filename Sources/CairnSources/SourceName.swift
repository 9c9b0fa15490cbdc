/// A source of photos. Names are stable, because the credits of photos contain them.
public enum SourceName: String, Sendable, CaseIterable {
  /// Flickr.
  case flickr
  /// Wikimedia Commons.
  case commons
  /// iNaturalist.
  case inaturalist
  /// Openverse.
  case openverse
  /// The dogs of dog.ceo, by breed.
  case dogCEO = "dog.ceo"
  /// A list of URLs.
  case urls
  /// Files on this disk.
  case folder

  /// The display name.
  public var title: String {
    switch self {
    case .flickr: "Flickr"
    case .commons: "Wikimedia Commons"
    case .inaturalist: "iNaturalist"
    case .openverse: "Openverse"
    case .dogCEO: "dog.ceo"
    case .urls: "a list of URLs"
    case .folder: "a folder"
    }
  }

  /// The API's URL; nil for sources that are not services.
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

  /// Whether a source needs a key.
  public enum KeyUse: String, Sendable { case required, optional, none }

  /// Whether it needs a key.
  public var keyUse: KeyUse {
    switch self {
    case .flickr: .required
    case .openverse: .optional
    default: .none
    }
  }

  /// The page with the terms of use, where keys are issued.
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

  /// Whether it has the locations of its photos.
  package var hasLocations: Bool { [.flickr, .commons, .inaturalist].contains(self) }

  /// Whether a query needs a text, or an area if the source has locations.
  package var requiresTextOrLocation: Bool { [.flickr, .commons, .openverse].contains(self) }

  /// Whether it has the licenses of its photos.
  package var hasLicenses: Bool { ![.dogCEO, .urls, .folder].contains(self) }

  /// The licenses accepted by default: those that permit copying and sharing, because datasets are
  /// shared.
  package var defaultLicenses: Set<LicenseKind>? {
    switch self {
    case .flickr, .inaturalist: LicenseKind.open
    // These contain only such photos.
    case .commons, .openverse: nil
    case .dogCEO, .urls, .folder: nil
    }
  }

  /// The annotator of the labels that come with its photos, if any: not a person of the dataset, so
  /// the labels are predictions that people confirm or correct.
  package var annotator: String? {
    switch self {
    case .inaturalist: "model:inaturalist@research-grade"
    case .dogCEO: "model:dog.ceo@1"
    default: nil
    }
  }

  /// Returns the environment variable that contains its key, or with `URL` its URL.
  public func variable(_ what: String) -> String {
    "CAIRN_" + rawValue.uppercased().map { $0 == "." ? "_" : $0 } + "_" + what
  }

  /// The rate limit of API requests.
  ///
  /// Source: Flickr Developer Guide, 3,600 an hour; api.inaturalist.org swagger_v1.yml, 60 a
  /// minute; openverse api/conf/settings/rest_framework.py, 20 a minute without a key.
  var requests: RateLimit {
    switch self {
    case .flickr: RateLimit(perMinute: 60, burst: 5, connections: 1)
    case .commons: RateLimit(perMinute: 120, burst: 5, connections: 1)
    case .inaturalist: RateLimit(perMinute: 60, burst: 3, connections: 1)
    case .openverse: RateLimit(perMinute: 20, burst: 3, connections: 1)
    case .dogCEO: RateLimit(perMinute: 120, burst: 5, connections: 1)
    case .urls, .folder: RateLimit(perMinute: 600, burst: 10, connections: 1)
    }
  }

  /// The rate limit of each host that serves its images.
  ///
  /// Source: Wikimedia's robot policy, two at a time; iNaturalist's recommended practices, less
  /// than 5 GB an hour.
  var images: RateLimit {
    switch self {
    case .commons: RateLimit(perMinute: 240, burst: 8, connections: 2)
    case .inaturalist: RateLimit(perMinute: 120, burst: 8, connections: 4)
    default: RateLimit(perMinute: 600, burst: 16, connections: 4)
    }
  }
}
