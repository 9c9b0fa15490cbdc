import ArgumentParser
import Cairn
import CairnBase

/// The options of `photo fetch` and `photo replace` that select photos of a source.
struct SourceQueryArguments: ParsableArguments {
  @Option(help: "Text, a species or a breed to search for.") var text: String?
  @Option(
    help: ArgumentHelp(
      "Only photos under these licenses, separated by commas; `any` also includes photos with all "
        + "rights reserved or an unknown license.",
      valueName: "licenses"))
  var license: String?
  @Option(
    help: ArgumentHelp(
      "The radius around the pin: 500m, 2km, or a number of meters.", valueName: "distance"))
  var radius: String = "1km"
  @Flag(help: "Fetch the original images instead of versions about 1,000 pixels wide.")
  var original = false
  @Flag(inversion: .prefixedNo, help: "Keep the reported breed or species as a prediction.")
  var labels = true

  func request(_ source: SourceName) throws -> PhotoFetchRequest {
    var request = PhotoFetchRequest(source)
    let text = text.map { $0.trimmed }
    request.query.text = text.flatMap { $0.isEmpty ? nil : $0 }
    request.query.wantsOriginal = original
    request.radiusMeters = try Distance.parse(radius)
    request.importsLabels = labels
    guard let license else { return request }
    if license.lowercased() == "any" {
      request.allowsAnyLicense = true
    } else {
      request.query.licenses = try Set(license.split(separator: ",").map(kind))
    }
    return request
  }

  private func kind(_ text: Substring) throws -> LicenseKind {
    guard let kind = LicenseKind(String(text).trimmed) else {
      let known = LicenseKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw CairnError(
        .usage, "“\(text)” is not a known license.", hint: "Known licenses: \(known).")
    }
    return kind
  }
}
