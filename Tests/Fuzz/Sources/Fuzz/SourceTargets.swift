@testable import CairnDocument
@testable import CairnSources

/// Responses of services with photos.
let sourceTargets = [
  FuzzTarget("photo-source") { input in
    guard let response = JSON(response: input) else { return }
    for source in sources {
      _ = source.rejection(response)
      for query in queries {
        guard let first = try? source.page(response, query, after: nil) else { continue }
        for photo in first.photos {
          let credit = photo.credit(from: source.name)
          let texts = [credit.author, credit.title, credit.license].compactMap { $0 }
          precondition(
            !texts.contains { $0.unicodeScalars.contains("\u{1B}") },
            "a text has an escape character")
        }
        guard let next = first.next else { continue }
        _ = try? source.step(query, after: next)
        _ = try? source.page(response, query, after: next)
      }
    }
  }
]

private let sources: [any PhotoSource] = [
  Flickr(SourceCredentials(.flickr, key: "key")), Commons(SourceCredentials(.commons)),
  INaturalist(SourceCredentials(.inaturalist)), Openverse(SourceCredentials(.openverse)),
  DogCEO(SourceCredentials(.dogCEO)),
]

/// By text, and around a location. No source accepts both.
private let queries: [SourceQuery] = {
  var (text, area) = (SourceQuery(), SourceQuery())
  (text.text, text.wantsOriginal) = ("oak", true)
  area.area = SearchArea(Coordinate(latitude: 57.5, longitude: 12)!, radiusMeters: 1000)
  area.licenses = LicenseKind.open
  return [text, area, SourceQuery()]
}()
