// The direct reader and writer: labels outnumber all other documents, so this code runs most often.
// A test compares both to the general ones.

extension Label {
  /// Reads a label from the bytes of its document.
  public init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    self = try withScanner(bytes) { (scanner) throws(DocumentError) in
      let label = try Label(scanning: &scanner)
      try scanner.finish()
      return label
    }
  }

  static let members: Set<String> = [
    "annotator", "class", "confidence", "kind", "photo", "region", "run", "source", "stamp",
    "text", "verdict",
  ]

  private init(scanning scanner: inout JSONScanner) throws(DocumentError) {
    var annotator: Annotator?
    var classKey: ClassKey?
    var confidence: JSONNumber?
    var isLabel = false
    var photo: PhotoID?
    var region: Region?
    var run: RunID?
    var source: String?
    var stamp: Stamp?
    var text: String?
    var verdict: Verdict?
    var extra = JSONObjectBuilder()
    var seen: UInt16 = 0

    func once(_ member: Int, _ key: String) throws(DocumentError) {
      if seen & 1 << member != 0 { throw scanner.error("the key “\(key)” is duplicated") }
      seen |= 1 << member
    }

    try scanner.beginObject()
    var isFirst = true
    while let key = try scanner.nextMember(&isFirst) {
      if scanner.isEqual(key, "annotator") {
        try once(0, "annotator")
        annotator = try scanner.text("annotator", "human:… or model:NAME@VERSION") {
          Annotator($0)
        }
      } else if scanner.isEqual(key, "class") {
        try once(1, "class")
        classKey = try scanner.text("class", "the key of a class") { ClassKey($0) }
      } else if scanner.isEqual(key, "confidence") {
        try once(2, "confidence")
        let number = try scanner.number()
        guard 0...1 ~= number.double else {
          throw scanner.invalid("“confidence” is not between 0 and 1")
        }
        confidence = number
      } else if scanner.isEqual(key, "kind") {
        try once(3, "kind")
        isLabel = scanner.isEqual(try scanner.stringToken(), "label")
      } else if scanner.isEqual(key, "photo") {
        try once(4, "photo")
        photo = try scanner.ascii("photo", "64 hexadecimal digits", PhotoID.init(utf8:))
      } else if scanner.isEqual(key, "region") {
        try once(5, "region")
        region = try Region(json: try scanner.value(depth: 1))
      } else if scanner.isEqual(key, "run") {
        try once(6, "run")
        run = try scanner.text("run", "the id of a run") { RunID($0) }
      } else if scanner.isEqual(key, "stamp") {
        try once(7, "stamp")
        stamp = try scanner.ascii("stamp", "a time stamp", Stamp.init(utf8:))
      } else if scanner.isEqual(key, "verdict") {
        try once(8, "verdict")
        verdict = try scanner.text(
          "verdict", "present, absent or withdrawn", Verdict.init(rawValue:))
      } else if scanner.isEqual(key, "text") {
        try once(9, "text")
        text = try scanner.text("text", String.expectation) { String(json: .string($0)) }
      } else if scanner.isEqual(key, "source") {
        try once(10, "source")
        source = try scanner.text("source", String.expectation) { String(json: .string($0)) }
      } else {
        let name = try scanner.string(of: key)
        // A known key with escapes was not recognized above; it must not count as another key.
        guard !Label.members.contains(name) else {
          throw scanner.error("the key “\(name)” is duplicated")
        }
        extra.append(name, try scanner.value(depth: 1), at: key.start)
      }
    }
    func required<Value>(_ value: Value?, _ key: String) throws(DocumentError) -> Value {
      guard let value else { throw .schema("“\(key)” is missing") }
      return value
    }
    guard isLabel else { throw .schema("“kind” is not “label”") }
    self.annotator = try required(annotator, "annotator")
    self.classKey = try required(classKey, "class")
    exactConfidence = try required(confidence, "confidence")
    self.photo = try required(photo, "photo")
    self.stamp = try required(stamp, "stamp")
    self.verdict = try required(verdict, "verdict")
    self.region = region
    self.run = run
    self.text = text
    self.source = source
    self.extra = try scanner.object(of: extra)
  }

  /// The canonical bytes of the label's document.
  public var canonicalBytes: [UInt8] {
    if region != nil || text != nil || source != nil || !extra.isEmpty {
      return json.canonicalBytes
    }
    var writer = CanonicalWriter()
    writer.append("{\n  \"annotator\": ")
    writer.write(annotator.description)
    writer.append(",\n  \"class\": \"")
    writer.append(contentsOf: classKey.text.utf8)
    writer.append("\",\n  \"confidence\": ")
    writer.append(contentsOf: exactConfidence.text.utf8)
    writer.append(",\n  \"kind\": \"label\",\n  \"photo\": \"")
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
      photo.write(into: buffer)
      writer.append(contentsOf: buffer)
    }
    if let run {
      writer.append("\",\n  \"run\": \"")
      writer.append(contentsOf: run.text.utf8)
    }
    writer.append("\",\n  \"stamp\": \"")
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Stamp.length) { buffer in
      stamp.write(into: buffer)
      writer.append(contentsOf: buffer)
    }
    writer.append("\",\n  \"verdict\": \"")
    writer.append(contentsOf: verdict.rawValue.utf8)
    writer.append("\"\n}")
    return writer.finish()
  }

  public var json: JSON {
    var object = extra
    object["annotator"] = .string(annotator.description)
    object["class"] = .string(classKey.text)
    object["confidence"] = .number(exactConfidence)
    object["kind"] = "label"
    object["photo"] = .string(photo.description)
    object["region"] = region?.json
    object["run"] = run.map { .string($0.text) }
    object["source"] = source.map { .string($0) }
    object["stamp"] = .string(stamp.description)
    object["text"] = text.map { .string($0) }
    object["verdict"] = .string(verdict.rawValue)
    return .object(object)
  }
}

extension JSONScanner {
  /// Reads a string and makes a value of it; `what` describes the expected value for the error.
  fileprivate mutating func text<Value>(
    _ key: String, _ what: String, _ make: (String) -> Value?
  ) throws(DocumentError) -> Value {
    guard let value = make(try string(of: try stringToken())) else {
      throw invalid("“\(key)” is not \(what)")
    }
    return value
  }

  /// Like ``text(_:_:_:)``, for text that has no escapes if it is valid.
  fileprivate mutating func ascii<Value>(
    _ key: String, _ what: String, _ make: (UnsafeBufferPointer<UInt8>) -> Value?
  ) throws(DocumentError) -> Value {
    guard let raw = rawBytes(of: try stringToken()), let value = make(raw) else {
      throw invalid("“\(key)” is not \(what)")
    }
    return value
  }

  /// Returns a schema error at the value that was just read.
  fileprivate func invalid(_ message: String) -> DocumentError {
    DocumentError(.schema, message, line: error("").line)
  }
}
