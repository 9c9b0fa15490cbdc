import CairnDocument
import CairnMerge
import TestSupport
import Testing

/// Which register an edit sets.
private enum Field: CaseIterable { case name, location, removed }

private struct Edit: Sendable {
  var field: Field
  var device: Int
  var stamp: Stamp
}

/// One device with its copy of a pin and its clock.
private struct Device {
  let number: Int
  var pin: Pin
  var clock: HybridClock

  init(_ number: Int, _ pin: Pin) {
    (self.number, self.pin) = (number, pin)
    clock = HybridClock(replica: ReplicaID(rawValue: UInt32(number + 1)))
  }

  /// Edits `field`; the value identifies the edit, so that the winner can be checked.
  mutating func edit(_ field: Field, now: Int64) -> Edit {
    let replaced =
      switch field {
      case .name: pin.name.stamp
      case .location: pin.location.stamp
      case .removed: pin.removed.stamp
      }
    let stamp = clock.stamp(now: now, replacing: replaced)
    switch field {
    case .name: pin.name = Register("\(stamp)", stamp)
    case .location:
      let place = Coordinate(latitude: Double(number), longitude: Double(stamp.counter) / 1000)
      pin.location = Register(place!, stamp)
    case .removed: pin.removed = Register(number.isMultiple(of: 2), stamp)
    }
    return Edit(field: field, device: number, stamp: stamp)
  }

  mutating func pull(_ other: Device, now: Int64) throws {
    pin = try Pin(json: pin.json.joined(with: other.pin.json))
    if let latest = pin.json.latestStamp { clock.observe(latest, now: now) }
  }
}

/// Checks that each register of `pin` has the latest of `edits`.
private func expectLatest(_ pin: Pin, _ edits: [Edit], _ comment: Comment) {
  func last(_ field: Field) -> Edit? {
    edits.filter { $0.field == field }.max { $0.stamp < $1.stamp }
  }
  #expect(pin.name.stamp == last(.name)?.stamp ?? at(0), comment)
  #expect(pin.name.value == last(.name).map { "\($0.stamp)" } ?? "base", comment)
  #expect(pin.location.stamp == last(.location)?.stamp ?? at(0), comment)
  #expect(pin.location.value.latitude == last(.location).map { Double($0.device) } ?? 1, comment)
  #expect(pin.removed.stamp == last(.removed)?.stamp ?? at(0), comment)
  #expect(pin.removed.value == last(.removed).map { $0.device.isMultiple(of: 2) } ?? false, comment)
}

@Suite("Convergence")
struct ConvergenceTests {
  private static let orders = [
    [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
  ]

  /// All sequences of at most `count` edits of two fields.
  private static func sequences(_ count: Int) -> [[Field]] {
    count == 0
      ? [[]]
      : [[]] + sequences(count - 1).flatMap { rest in [[.name] + rest, [.location] + rest] }
  }

  @Test("merges up to three edits each of three devices to one pin in any order and grouping")
  func exhaustive() throws {
    // A --edits--> a \
    // B --edits--> b  } any order, any grouping, some twice --> one result
    // C --edits--> c /
    var cases = 0
    let sequences = ConvergenceTests.sequences(3)
    for a in sequences {
      for b in sequences {
        for c in sequences {
          // All clocks stand still, so that stamps differ only in counter and replica.
          var edits: [Edit] = []
          let versions = [a, b, c].enumerated().map { number, fields in
            var device = Device(number, pin())
            for field in fields { edits.append(device.edit(field, now: at(1).milliseconds)) }
            return device.pin.json
          }
          let expected = versions[0].joined(with: versions[1]).joined(with: versions[2])
          expectLatest(try Pin(json: expected), edits, "\(a) \(b) \(c)")
          for order in ConvergenceTests.orders {
            let (x, y, z) = (versions[order[0]], versions[order[1]], versions[order[2]])
            let results = [
              x.joined(with: y).joined(with: z), x.joined(with: y.joined(with: z)),
              x.joined(with: y).joined(with: z.joined(with: y)).joined(with: x),
            ]
            guard results.allSatisfy({ $0 == expected }) else {
              Issue.record("\(a) \(b) \(c) in the order \(order)")
              return
            }
            cases += 1
          }
        }
      }
    }
    #expect(cases == 15 * 15 * 15 * 6)
  }

  @Test("ends with one pin when devices edit and pull at random", arguments: UInt64(0)..<32)
  func simulation(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var devices = (0..<3).map { Device($0, pin()) }
    // Clocks that are wrong by up to an hour; for every fourth seed they stand still.
    let errors = (0..<3).map { _ in Int64(random.below(3_600_000)) }
    var edits: [Edit] = []
    for step in 0..<30 {
      let number = random.below(3)
      let now = at(seed.isMultiple(of: 4) ? 1 : Int64(step)).milliseconds + errors[number]
      if random.chance(60) {
        let before = devices[number].pin
        let edit = devices[number].edit(random.pick(Field.allCases), now: now)
        // The edit is later than everything on the device.
        #expect(before.json.latestStamp.map { $0 < edit.stamp } == true)
        edits.append(edit)
      } else {
        try devices[number].pull(devices[random.below(3)], now: now)
      }
    }
    for number in [0, 1, 2, 0, 1] {
      try devices[(number + 1) % 3].pull(devices[number], now: at(0).milliseconds)
    }
    #expect(devices.allSatisfy { $0.pin.canonicalBytes == devices[0].pin.canonicalBytes })
    expectLatest(devices[0].pin, edits, "seed \(seed)")
  }

  @Test("merges six labels of one annotator to one in all 720 orders")
  func labelOrders() throws {
    let stamps = [at(1), at(1, 1), at(1, 1, by: 2), at(2), at(2), at(0)]
    let labels = stamps.enumerated().map { index, stamp in
      label("human:alice@x", .present, confidence: Double(index) / 8, stamp).json
    }
    let expected = label("human:alice@x", .present, confidence: 0.5, at(2)).json
    var count = 0
    func permute(_ rest: [JSON], _ joined: JSON?) {
      if rest.isEmpty {
        count += 1
        #expect(joined == expected)
      }
      for index in rest.indices {
        var others = rest
        let next = others.remove(at: index)
        permute(others, joined.map { $0.joined(with: next) } ?? next)
      }
    }
    permute(labels, nil)
    #expect(count == 720)
  }
}
