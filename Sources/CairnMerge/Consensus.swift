public import CairnDocument
public import CairnTrust

/// What the policy `dawid-skene` knows of one class or one exclusive set: how people err in it.
public struct Consensus: Equatable, Sendable {
  /// Sorted, the annotators of the estimate.
  public let people: [Annotator]
  /// The categories of the estimate: of a class, nil for absent and its key for present; of a set the
  /// keys of its classes.
  public let categories: [ClassKey?]
  public let estimate: ConsensusEstimate

  public init(people: [Annotator], categories: [ClassKey?], estimate: ConsensusEstimate) {
    (self.people, self.categories, self.estimate) = (people, categories, estimate)
  }

  /// Knows nothing: everybody is as right as is taken for granted, and all is equally frequent.
  init(of subject: OpinionSubject) {
    people = []
    switch subject {
    case .ofClass(let key): categories = [nil, key]
    case .ofSet: categories = []
    }
    estimate = ConsensusEstimate(
      items: 0, truths: [Double](repeating: 0, count: categories.count), cells: [:])
  }

  /// How likely it must be, by the estimate, that what is to stand is true.
  public static let threshold = 0.9

  /// What people say of one photo, weighed.
  public struct Weighed: Equatable, Sendable {
    /// Each category that somebody says, with its probability, and that which it would have if all
    /// categories were equally frequent.
    public let candidates: [Candidate]

    public struct Candidate: Equatable, Sendable {
      public let category: ClassKey?
      public let probability: Double
      public let evenProbability: Double

      /// What it is held to be by: the lesser of the two, so that what is usual decides nothing alone.
      public var sureness: Double { min(probability, evenProbability) }
    }

    /// The one that is surest; of equal ones the first.
    public var best: Candidate? {
      candidates.enumerated().max {
        ($0.element.sureness, -$0.offset) < ($1.element.sureness, -$1.offset)
      }?.element
    }

    /// The one that stands; nil where none is sure enough.
    public var standing: Candidate? {
      best.flatMap { $0.sureness >= Consensus.threshold ? $0 : nil }
    }
  }

  /// Weighs what people say of one photo, each once and sorted by person.
  public func weigh(_ votes: [(person: Annotator, says: ClassKey?)]) -> Weighed {
    // What nobody was heard to say before comes after what was.
    let unknown = Set(votes.map(\.says)).subtracting(categories).compactMap { $0 }.sorted()
    let all = categories + unknown
    let ballots = votes.map { vote in
      (annotator: people.firstIndex(of: vote.person), said: all.firstIndex(of: vote.says) ?? 0)
    }
    let (known, even) = (
      estimate.posterior(ballots), estimate.posterior(ballots, isEven: true)
    )
    return Weighed(
      candidates: zip(known, even).map {
        Weighed.Candidate(
          category: all[$0.category], probability: $0.probability,
          evenProbability: $1.probability)
      })
  }

  /// Returns the share of what is `truth` that a person calls `said`.
  public func share(_ person: Annotator, truth: ClassKey?, said: ClassKey?) -> Double {
    estimate.share(
      annotator: people.firstIndex(of: person), truth: place(truth), said: place(said))
  }

  /// The share of photos that are of a category.
  public func prior(_ category: ClassKey?) -> Double { estimate.prior(place(category)) }

  private func place(_ category: ClassKey?) -> Int {
    categories.firstIndex(of: category) ?? categories.count + (category == nil ? 0 : 1)
  }
}

extension ResolutionRules {
  /// Returns what is known of how people err in a class or set; where nothing was estimated, nothing.
  public func consensus(on subject: OpinionSubject) -> Consensus {
    consensus[subject] ?? Consensus(of: subject)
  }

  /// Returns what people's statements on a class weigh by the estimate; nil where they do not differ, or
  /// where it cannot weigh them.
  public func weigh(_ classKey: ClassKey, in opinions: Opinions) -> Weighing? {
    guard let voices = opinions.classes.first(where: { $0.classKey == classKey })?.voices,
      Set(voices.map(\.isPresent)).count == 2
    else { return nil }
    let choices = classes.set(of: classKey).flatMap { set in
      opinions.sets.first { $0.set == set }?.choices
    }
    return weighing(classKey, voices, choices)
  }

  func weighing(
    _ classKey: ClassKey, _ voices: [Voice], _ choices: [Opinions.Choice]?
  ) -> Weighing? {
    guard let set = classes.set(of: classKey) else {
      let consensus = consensus(on: .ofClass(classKey))
      return Weighing(
        consensus: consensus, people: voices.map(\.person),
        weighed: consensus.weigh(voices.map { ($0.person, $0.isPresent ? classKey : nil) }))
    }
    let choices = choices ?? []
    let consensus = consensus(on: .ofSet(set))
    let weighed = consensus.weigh(choices.map { ($0.person, $0.classKey) })
    // Who denies a class and names no other has said nothing that the set's estimate knows of, and only
    // agrees where another class stands.
    let isDenied = voices.contains { voice in
      !voice.isPresent && !choices.contains { $0.person == voice.person }
    }
    if isDenied, weighed.standing.map({ $0.category == classKey }) ?? true { return nil }
    return Weighing(consensus: consensus, people: choices.map(\.person), weighed: weighed)
  }
}

/// What people's statements on a class of a photo weigh by the estimate.
public struct Weighing: Equatable, Sendable {
  public let consensus: Consensus
  /// Those whose statements were weighed.
  public let people: [Annotator]
  public let weighed: Consensus.Weighed
}

extension Hearing {
  /// Decides what people differ on by how they err.
  func consensusDecision(_ voices: [Voice], on classKey: ClassKey, sides: String) -> Decision {
    let choices = rules.classes.set(of: classKey).map { set in
      self.choices.filter { $0.key.of == set }.map {
        Opinions.Choice(person: $0.key.speaker, classKey: statements[$0.value].classKey)
      }.sorted { $0.person < $1.person }
    }
    guard let weighing = rules.weighing(classKey, voices, choices),
      let best = weighing.weighed.best
    else {
      return Decision(
        state: .disputed, confidence: 0.5,
        because: "who denies it names no other, which cannot be weighed (\(sides))")
    }
    guard let standing = weighing.weighed.standing else {
      return Decision(
        state: .disputed, confidence: best.sureness,
        because:
          "by how people err nothing is \(Hearing.percent(Consensus.threshold)) likely (\(sides))")
    }
    let isPresent = standing.category == classKey
    return Decision(
      state: isPresent ? .confirmed : .rejected, confidence: standing.sureness,
      because: "by how people err it is \(Hearing.percent(standing.sureness)) likely (\(sides))",
      minority: Set(voices.filter { $0.isPresent != isPresent }.map(\.person)))
  }

  /// `93 %`, never rounded up to what it is not.
  private static func percent(_ value: Double) -> String {
    "\(Int((value * 100).rounded(.down))) %"
  }
}
