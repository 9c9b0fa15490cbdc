/// The members of a JSON object, sorted by the UTF-8 bytes of their keys, each key once.
public struct JSONObject: Sendable {
  public typealias Member = (key: String, value: JSON)

  public private(set) var members: [Member]

  /// Creates an object without members.
  public init() { members = [] }

  /// Creates an object with `members`; of members with the same key, the last one is kept.
  public init(_ members: [(String, JSON)]) {
    self.init()
    self.members.reserveCapacity(members.count)
    for (key, value) in members { self[key] = value }
  }

  /// Creates an object with members that are already sorted, each key once.
  package init(sorted members: [Member]) { self.members = members }

  /// Whether it has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of a member; nil if there is none. Setting nil removes the member.
  public subscript(key: String) -> JSON? {
    get {
      let (index, found) = position(of: key)
      return found ? members[index].value : nil
    }
    set {
      let (index, found) = position(of: key)
      switch (newValue, found) {
      case (let value?, true): members[index].value = value
      case (let value?, false): members.insert((key, value), at: index)
      case (nil, true): members.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Appends a member in constant time if its key sorts after all others; returns false otherwise.
  mutating func append(_ key: String, _ value: JSON) -> Bool {
    if let last = members.last, !last.key.precedesInUTF8(key) { return false }
    members.append((key, value))
    return true
  }

  private func position(of key: String) -> (index: Int, found: Bool) {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if members[middle].key.precedesInUTF8(key) { low = middle + 1 } else { high = middle }
    }
    return (low, low < members.count && members[low].key.hasSameUTF8(as: key))
  }
}

/// Collects the members of an object in text order and sorts the late ones once at the end, so that
/// no order of keys makes reading slow.
struct JSONObjectBuilder {
  private var object = JSONObject()
  private var late: [(key: String, value: JSON, position: Int)] = []

  struct RepeatedKey: Error {
    let key: String
    let position: Int
  }

  mutating func append(_ key: String, _ value: JSON, at position: Int) {
    if !object.append(key, value) { late.append((key, value, position)) }
  }

  func finish() throws(RepeatedKey) -> JSONObject {
    if late.isEmpty { return object }
    let late = late.sorted {
      $0.key.hasSameUTF8(as: $1.key) ? $0.position < $1.position : $0.key.precedesInUTF8($1.key)
    }
    var merged: [JSONObject.Member] = []
    merged.reserveCapacity(object.members.count + late.count)
    var sorted = object.members[...]
    for (key, value, position) in late {
      while let first = sorted.first, first.key.precedesInUTF8(key) {
        merged.append(first)
        sorted.removeFirst()
      }
      if [sorted.first, merged.last].contains(where: { $0?.key.hasSameUTF8(as: key) == true }) {
        throw RepeatedKey(key: key, position: position)
      }
      merged.append((key, value))
    }
    return JSONObject(sorted: merged + sorted)
  }
}

extension JSONObject: Equatable {
  public static func == (a: JSONObject, b: JSONObject) -> Bool {
    a.members.count == b.members.count
      && zip(a.members, b.members).allSatisfy {
        $0.key.hasSameUTF8(as: $1.key) && $0.value == $1.value
      }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }
}

extension String {
  /// Returns whether the strings have the same UTF-8 bytes; `==` also equates Unicode equivalents.
  package func hasSameUTF8(as other: String) -> Bool {
    var (a, b) = (self, other)
    return a.withUTF8 { a in b.withUTF8 { b in a.count == b.count && a.elementsEqual(b) } }
  }

  /// Returns whether this string sorts before `other` by UTF-8 bytes.
  package func precedesInUTF8(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
