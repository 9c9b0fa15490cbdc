import CairnDocument
import CairnLabelers
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// The settings of each service in these tests, in addition to its preset.
struct Preset: CustomTestStringConvertible {
  let name: String
  var settings: JSON = [:]
  var names: JSON?
  var model: String

  var testDescription: String { name }

  static let all = [
    Preset(name: "azure-image-analysis", model: "azure-image-analysis@2023-10-01"),
    Preset(
      name: "azure-custom-vision", settings: ["iteration": "Iteration 7", "project": "p-1"],
      model: "custom-vision@Iteration 7"),
    Preset(name: "google-vision", model: "google-vision@v1"),
    Preset(name: "clarifai", model: "general-image-recognition@latest"),
    Preset(
      name: "hugging-face", settings: ["model": "google/vit-base"], model: "google/vit-base@latest"),
    Preset(
      name: "tensorflow-serving", settings: ["model": "trees", "version": "3"],
      names: ["tree", "outdoor"], model: "trees@3"),
    Preset(
      name: "tensorflow-serving-classify", settings: ["model": "trees"], model: "trees@latest"),
    Preset(name: "torchserve", settings: ["model": "trees"], model: "trees@latest"),
    Preset(
      name: "kserve", settings: ["model": "trees"], names: ["tree", "outdoor"],
      model: "trees@latest"),
    Preset(name: "triton", settings: ["model": "trees"], model: "trees@latest"),
    Preset(name: "imagga", model: "imagga@v2"),
    Preset(name: "plain", model: "net@1"),
  ]

  /// The services that also accept addresses of images.
  static let withAddress = all.filter {
    ServicePresets.json($0.name)?["address"] != nil
  }
  static let withKey = all.filter { ServicePresets.json($0.name)?["secrets"] != nil }

  func labeler(
    _ services: Services, _ behavior: String = "ok", send: String = "bytes",
    environment: LabelerEnvironment = .quick, timeout: Int = 20
  ) throws -> any Labeler {
    var settings = settings.object ?? [:]
    settings["endpoint"] = .string(services.url(name, behavior))
    var json: JSONObject = [
      "kind": "service", "name": "x", "preset": .string(name), "send": .string(send),
      "settings": .object(settings), "timeout": JSON(timeout),
    ]
    json["names"] = names
    if name == "plain" { json["model"] = "net@1" }
    return try LabelerDescription(json: .object(json)).open(
      environment: environment, pixels: noPixels)
  }
}

@Suite("Labeler services")
struct LabelerServiceTests {
  @Test("covers every preset")
  func presets() {
    #expect(Preset.all.map(\.name).sorted() == ServicePresets.names)
  }

  @Test("sends bytes and reads the answer in the service's format", arguments: Preset.all)
  func bytes(preset: Preset) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let labeler = try preset.labeler(services)
    #expect(try labeler.identity().model.identity == preset.model)
    for seed in 0..<3 {
      let image = try scratch.image(seed)
      let prediction = try labeler.predict(image)
      try #require(prediction.findings.count == 2)
      #expect(prediction.findings[0].score >= prediction.findings[1].score)
      let tree = try #require(prediction.findings.first { $0.name == "tree" })
      #expect(abs(tree.score - expected(try bytes(of: image))) < 1e-6)
      #expect(
        prediction.caption?.text
          == (preset.name == "azure-image-analysis" ? "a tree in a park" : nil))
    }
    let text = try services.text()
    #expect(try services.requests().allSatisfy { $0.fault == nil }, "\(text)")
  }

  @Test(
    "sends the address instead of the bytes to services that accept addresses",
    arguments: Preset.withAddress)
  func addresses(preset: Preset) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let labeler = try preset.labeler(services, send: "address")
    let address = "https://images.example.org/a b?x=1&y=ü.png"
    let prediction = try labeler.predict(try scratch.image(0, address: address))
    let tree = try #require(prediction.findings.first { $0.name == "tree" })
    #expect(abs(tree.score - expected(Array(address.utf8))) < 1e-6)
    #expect(try services.requests().allSatisfy { $0.fault == nil && ($0.bytes ?? 0) < 300 })
    let without = complaint { _ = try labeler.predict(try scratch.image(1)) }
    #expect(without?.message.contains("the photo has no URL") == true)
  }

  @Test("retries when a service is busy, up to a limit", arguments: Preset.all)
  func retries(preset: Preset) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let image = try scratch.image(0)
    #expect(try preset.labeler(services, "busy").predict(image).findings.count == 2)
    #expect(try services.requests().count == 2)
    let other = try scratch.image(1)
    #expect(try preset.labeler(services, "flaky").predict(other).findings.count == 2)
    #expect(try services.requests().count == 5)
    let third = try scratch.image(2)
    let end = complaint { _ = try preset.labeler(services, "down").predict(third) }
    #expect(end?.isTransient == true && end?.message.contains("503") == true)
    #expect(try services.requests().count == 9)
  }

  @Test("reports each service's documented error with its message", arguments: Preset.all)
  func refusals(preset: Preset) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let image = try scratch.image(0)
    let messages = [
      "azure-image-analysis": "Image size is too small.",
      "azure-custom-vision": "Bad Request Image Format", "google-vision": "Bad image data.",
      "clarifai": "check URL", "hugging-face": "cannot identify image file",
      "tensorflow-serving": "Expected image", "tensorflow-serving-classify": "Expected image",
      "torchserve": "Prediction failed", "kserve": "unexpected shape", "triton": "unexpected shape",
      "imagga": "Unsupported file type.", "plain": "no image",
    ]
    let error = complaint { _ = try preset.labeler(services, "error").predict(image) }
    // Another photo might fail the same way.
    #expect(error?.scope == .doubtful)
    #expect(
      error?.message.contains(messages[preset.name] ?? "?") == true, "\(String(describing: error))")
  }

  @Test("stops at a wrong key and shows the key in no message", arguments: Preset.withKey)
  func keys(preset: Preset) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let image = try scratch.image(0)
    var environment = LabelerEnvironment.quick
    environment.variable = { _ in "wr0ng-k3y" }
    let wrong = complaint {
      _ = try preset.labeler(services, environment: environment).predict(image)
    }
    #expect(wrong?.scope == .labeler && wrong?.isTransient == false)
    #expect(wrong?.message.contains("401") == true, "\(String(describing: wrong))")
    let echo = complaint { _ = try preset.labeler(services, "echo").predict(image) }
    #expect(echo?.message.contains("400") == true)
    for message in [wrong?.message, echo?.message] {
      #expect(message?.contains(Services.key) == false && message?.contains("wr0ng") == false)
    }
    environment.variable = { _ in nil }
    let none = complaint {
      _ = try preset.labeler(services, environment: environment).predict(image)
    }
    #expect(none?.message.hasPrefix("the environment variable ") == true)
  }

  @Test(
    "reports in one sentence why an answer is unusable",
    arguments: [
      ("html", "its response is a web page"), ("nothing", "its response is empty"),
      ("nan", "a score in its response is not a number"), ("text", "its response is not JSON"),
      ("percent", "a score of 85.2 is not between 0 and 1"),
      ("file", "it redirects to a URL that is not http or https"),
      ("elsewhere", "it redirects to another server (localhost:9)"),
      ("port", "it redirects to another server (127.0.0.1:9)"),
      ("https", "it redirects to another server (https://127.0.0.1:"),
      ("person", "it redirects to another server (127.0.0.1:"),
      ("huge", "sent more data than requested"), ("error", "it reported “no image”"),
    ])
  func invalidAnswers(behavior: String, fragment: String) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let preset = try #require(Preset.all.last)
    let image = try scratch.image(0)
    let error = complaint { _ = try preset.labeler(services, behavior).predict(image) }
    let message = try #require(error?.message)
    #expect(message.contains(fragment), "\(message)")
    #expect(message.contains("127.0.0.1") && !message.hasSuffix(".") && !message.contains("\n"))
  }

  @Test(
    "removes an encoded key from messages and class names",
    arguments: ["slashed", "quoted", "shouted", "credited"])
  func disguisedKeys(behavior: String) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let text = """
      {"kind": "service", "model": "own@1", "name": "own", "service": {
        "secrets": {"key": "MY_KEY"},
        "bytes": {"url": "\(services.url("plain", behavior))", "body": "bytes",
          "headers": {"Authorization": "Bearer {key}"}},
        "answer": {"errors": ["error"]}}}
      """
    var environment = LabelerEnvironment.quick
    environment.variable = { _ in "s3cr3t/k3y+Of=me" }
    let labeler = try LabelerDescription(json: try JSON(bytes: text.utf8))
      .open(environment: environment, pixels: noPixels)
    var shown = ""
    do {
      shown = try labeler.predict(try scratch.image(0)).findings.map(\.name).joined()
    } catch let error as LabelerError {
      shown = error.message
    }
    #expect(shown.contains("…"), "\(shown)")
    #expect(!shown.lowercased().contains("s3cr3t") && !shown.lowercased().contains("of%3dme"))
  }

  @Test("stops after many unusable answers in a row, but not after one")
  func manyFailures() throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let images = try (0..<60).map { try scratch.image($0) }
    func ask(_ behavior: String, of name: String = "plain") throws -> (
      good: Int, errors: [LabelerError]
    ) {
      var (good, errors): (Int, [LabelerError]) = (0, [])
      let preset = try #require(Preset.all.first { $0.name == name })
      let pool = PredictionPool(try preset.labeler(services, behavior), atOnce: 4)
      try pool.run(images.count, image: { images[$0] }) {
        for (_, outcome) in $0 {
          switch outcome {
          case .success: good += 1
          case .failure(let error): errors.append(error)
          }
        }
      }
      return (good, errors)
    }
    let slips = try ask("slips")
    #expect(slips.good == 48 && slips.errors.allSatisfy { $0.scope == .doubtful })
    // Four requests at once: when the sixteenth fails, three more may be in flight.
    let down = try ask("down")
    #expect(down.good == 0 && 16...19 ~= down.errors.count)
    let ends = down.errors.filter { $0.scope == .labeler }
    #expect(ends.count == 1 && ends[0].isTransient)
    #expect(
      ends[0].message.hasPrefix("16 photos in a row failed; the last error: 127.0.0.1:"))
    // With status 200, and with 400.
    for name in ["plain", "hugging-face"] {
      let refused = try ask("error", of: name)
      #expect(refused.good == 0 && 16...19 ~= refused.errors.count)
      #expect(refused.errors.filter { $0.scope == .labeler }.count == 1)
    }
  }

  @Test("uses the model version that a service reports")
  func versions() throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let stated = [
      "azure-image-analysis": "azure-image-analysis@2023-10-01", "kserve": "trees@1",
      "clarifai": "general-image-recognition@aa7f", "triton": "trees@1",
    ]
    for preset in Preset.all {
      let labeler = try preset.labeler(services)
      let identity = try labeler.identity()
      #expect(identity.isProvisional == (stated[preset.name] != nil))
      let model = identity.stated(by: try labeler.predict(try scratch.image(0))).model
      #expect(model.identity == stated[preset.name] ?? preset.model)
    }
  }

  @Test("follows a redirect within the server")
  func moved() throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let labeler = try #require(Preset.all.last).labeler(services, "moved")
    #expect(try labeler.predict(try scratch.image(0)).findings.count == 2)
  }

  @Test("gives up on a service that is silent or sends too slowly", arguments: ["silent", "drip"])
  func slow(behavior: String) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let image = try scratch.image(0)
    let labeler = try #require(Preset.all.last).labeler(services, behavior, timeout: 1)
    let error = complaint { _ = try labeler.predict(image) }
    #expect(
      error?.message.contains("did not respond in time") == true, "\(String(describing: error))")
    #expect(error?.isTransient == true)
  }

  @Test(
    "a canceled run does not wait for a slow service or its Retry-After, and keeps its answers",
    arguments: ["stalls", "rests"])
  func canceled(behavior: String) throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let images = try (0..<6).map { try scratch.image($0) }
    let labeler = try #require(Preset.all.last)
      .labeler(services, behavior, environment: environmentWithPauses, timeout: 60)
    let clock = ContinuousClock()
    let done = Atomic(0)
    let start = clock.now
    #expect(throws: CancellationError.self) {
      try PredictionPool(labeler, atOnce: 6).run(
        images.count, image: { images[$0] },
        check: { if done.load(ordering: .relaxed) >= 3 { throw CancellationError() } }
      ) { finished in
        #expect(finished.allSatisfy { (try? $0.outcome.get()) != nil })
        done.add(finished.count, ordering: .relaxed)
      }
    }
    #expect(done.load(ordering: .relaxed) == 3 && clock.now - start < .seconds(25))
  }

  private var environmentWithPauses: LabelerEnvironment {
    var environment = LabelerEnvironment.quick
    environment.pause = LabelerEnvironment.machine.pause
    return environment
  }

  @Test("reports an unreachable service as a failure of the labeler")
  func refused() throws {
    let json: JSON = [
      "kind": "service", "model": "net@1", "name": "x", "preset": "plain",
      "settings": ["endpoint": "http://127.0.0.1:1/"],
    ]
    let labeler = try LabelerDescription(json: json).open(environment: .quick, pixels: noPixels)
    let scratch = TemporaryDirectory()
    let error = complaint { _ = try labeler.predict(try scratch.image(0)) }
    #expect(error?.scope == .labeler && error?.isTransient == true)
  }

  private func bytes(of image: LabelerImage) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: image.path.string)))
  }

  /// Returns the score of “tree” that `services.py` gives, from the first byte of the SHA-256.
  private func expected(_ bytes: [UInt8]) -> Double {
    let first = Double(sha256(bytes)[0])
    return ((first / 255 * 0.8 + 0.1) * 10_000).rounded() / 10_000
  }
}
