public import CairnDocument
package import CairnMetrics

/// The error rates of people in one class or exclusive set, for the policy `dawid-skene`.
package struct Consensus: Equatable, Sendable {
  /// The annotators of the estimate, sorted.
  package let people: [Annotator]
  /// The categories of the estimate: for a class, nil for absent and its key for present; for a
  /// set, the keys of its classes.
  package let categories: [ClassKey?]
  package let estimate: ConsensusEstimate

  package init(people: [Annotator], categories: [ClassKey?], estimate: ConsensusEstimate) {
    (self.people, self.categories, self.estimate) = (people, categories, estimate)
  }

  /// Creates a consensus without data: default error rates, and equally frequent categories.
  init(of subject: RatedItem) {
    people = []
    switch subject {
    case .ofClass(let key): categories = [nil, key]
    case .ofSet: categories = []
    }
    estimate = ConsensusEstimate(
      items: 0, classCounts: [Double](repeating: 0, count: categories.count), cells: [:])
  }

  /// The probability at which a candidate is accepted.
  package static let threshold = 0.9

  /// The weighed votes on one photo.
  package struct ConsensusResult: Equatable, Sendable {
    /// Each category that has a vote, with its probability, and the probability that it would have
    /// if all categories were equally frequent.
    package let candidates: [ConsensusCandidate]

    /// The candidate with the highest certainty; the first if several are equal.
    package var best: ConsensusCandidate? {
      candidates.enumerated().max {
        ($0.element.certainty, -$0.offset) < ($1.element.certainty, -$1.offset)
      }?.element
    }

    /// The best candidate; nil if its certainty is below the threshold.
    package var accepted: ConsensusCandidate? {
      best.flatMap { $0.certainty >= Consensus.threshold ? $0 : nil }
    }
  }

  /// Weighs the votes on one photo, one per person and sorted by person.
  package func result(of votes: [(person: Annotator, category: ClassKey?)]) -> ConsensusResult {
    // Categories that are not in the estimate come after those that are.
    let unknown = Set(votes.map(\.category)).subtracting(categories).compactMap { $0 }.sorted()
    let all = categories + unknown
    let ballots = votes.map { vote in
      (
        annotator: people.firstIndex(of: vote.person),
        category: all.firstIndex(of: vote.category) ?? 0
      )
    }
    let (known, even) = (
      estimate.posterior(ballots), estimate.posterior(ballots, isEven: true)
    )
    return ConsensusResult(
      candidates: zip(known, even).map {
        ConsensusCandidate(
          category: all[$0.category], probability: $0.probability,
          evenProbability: $1.probability)
      })
  }

  /// Returns how often a person votes `vote` where `truth` is true.
  package func probability(_ person: Annotator, truth: ClassKey?, vote: ClassKey?) -> Double {
    estimate.probability(
      annotator: people.firstIndex(of: person), truth: index(of: truth), vote: index(of: vote))
  }

  /// Returns the share of photos in a category.
  package func prior(_ category: ClassKey?) -> Double { estimate.prior(index(of: category)) }

  private func index(of category: ClassKey?) -> Int {
    categories.firstIndex(of: category) ?? categories.count + (category == nil ? 0 : 1)
  }
}

extension ResolutionRules {
  /// Returns the consensus for a class or set; one without data if nothing was estimated.
  package func consensus(on subject: RatedItem) -> Consensus {
    consensus[subject] ?? Consensus(of: subject)
  }

  /// Returns the weights of people's votes on a class; nil if the votes agree or the estimate
  /// cannot weigh them.
  package func weights(of classKey: ClassKey, in ratings: Ratings) -> ConsensusWeights? {
    guard let votes = ratings.classes.first(where: { $0.classKey == classKey })?.votes,
      Set(votes.map(\.isPresent)).count == 2
    else { return nil }
    let choices = classes.set(of: classKey).flatMap { set in
      ratings.sets.first { $0.set == set }?.choices
    }
    return weights(of: classKey, votes, choices)
  }

  func weights(
    of classKey: ClassKey, _ votes: [PersonVote], _ choices: [Ratings.Choice]?
  ) -> ConsensusWeights? {
    guard let set = classes.set(of: classKey) else {
      let consensus = consensus(on: .ofClass(classKey))
      return ConsensusWeights(
        consensus: consensus, people: votes.map(\.person),
        result: consensus.result(of: votes.map { ($0.person, $0.isPresent ? classKey : nil) }))
    }
    let choices = choices ?? []
    let consensus = consensus(on: .ofSet(set))
    let result = consensus.result(of: choices.map { ($0.person, $0.classKey) })
    // A person who rejects a class and names no other gives the set's estimate nothing to weigh,
    // and only agrees if another class wins.
    let isDenied = votes.contains { vote in
      !vote.isPresent && !choices.contains { $0.person == vote.person }
    }
    if isDenied, result.accepted.map({ $0.category == classKey }) ?? true { return nil }
    return ConsensusWeights(consensus: consensus, people: choices.map(\.person), result: result)
  }
}

/// A category that people voted for, with its probability given their error rates.
package struct ConsensusCandidate: Equatable, Sendable {
  /// The class; nil for “absent”.
  package let category: ClassKey?
  /// From 0 to 1.
  package let probability: Double
  /// The probability if all categories were equally frequent.
  package let evenProbability: Double

  /// The lesser of both probabilities, so that the frequency of a category alone decides
  /// nothing.
  package var certainty: Double { min(probability, evenProbability) }
}

/// The weights of people's votes on a class of a photo, for the policy `dawid-skene`.
public struct ConsensusWeights: Equatable, Sendable {
  package let consensus: Consensus
  /// The people whose votes were weighed.
  public let people: [Annotator]
  package let result: Consensus.ConsensusResult

  /// The probability at which a candidate is accepted.
  package static let threshold = Consensus.threshold

  /// The categories that have a vote.
  package var candidates: [ConsensusCandidate] { result.candidates }

  /// All categories of the estimate: for a class, nil for absent and its key for present; for an
  /// exclusive set, the keys of its classes.
  package var categories: [ClassKey?] { consensus.categories }

  /// The number of photos that the error rates were estimated from.
  public var photos: Int { consensus.estimate.items }

  /// Returns how often a person votes `vote` where `truth` is true, from 0 to 1.
  package func probability(_ person: Annotator, truth: ClassKey?, vote: ClassKey?) -> Double {
    consensus.probability(person, truth: truth, vote: vote)
  }

  /// Returns the share of photos in a category, from 0 to 1.
  package func prior(_ category: ClassKey?) -> Double { consensus.prior(category) }
}

extension LabelResolver {
  /// Decides between people who disagree, by their error rates.
  func consensusDecision(
    _ votes: [PersonVote], on classKey: ClassKey, sides: VoteSides
  ) -> Decision {
    let choices = rules.classes.set(of: classKey).map { set in
      self.choices.filter { $0.key.of == set }.map {
        Ratings.Choice(person: $0.key.annotator, classKey: entries[$0.value].classKey)
      }.sorted { $0.person < $1.person }
    }
    guard let weights = rules.weights(of: classKey, votes, choices),
      let best = weights.result.best
    else {
      return Decision(state: .disputed, confidence: 0.5, reason: .unweighable(sides))
    }
    guard let accepted = weights.result.accepted else {
      return Decision(state: .disputed, confidence: best.certainty, reason: .unlikely(sides))
    }
    let isPresent = accepted.category == classKey
    return Decision(
      state: isPresent ? .confirmed : .rejected, confidence: accepted.certainty,
      reason: .likely(accepted.certainty, sides),
      outvoted: Set(votes.filter { $0.isPresent != isPresent }.map(\.person)))
  }
}
