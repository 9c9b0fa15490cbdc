internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnTraining

/// People's decisions on photos, as a training uses them; models' labels are ignored.
public struct TrainingSet: Sendable {
  let isExclusive: Bool
  let classes: [ClassKey]
  /// By id: the photos with a decision.
  private(set) var photos: [PhotoID] = []
  /// Exclusive: the index of each photo's class.
  private var choices: [Int] = []
  /// Independent: for each photo, the verdict on each class; nil if nobody decided.
  private var verdicts: [[Bool?]] = []

  init(isExclusive: Bool, classes: [ClassKey]) {
    (self.isExclusive, self.classes) = (isExclusive, classes)
  }

  /// Adds a photo with what people's labels resolve to, if that decides anything.
  mutating func add(_ photo: PhotoID, _ truth: GroundTruth, set: ClassKey?, _ table: ClassTable) {
    if isExclusive {
      guard let set, let chosen = truth.bySet[set], let index = classes.firstIndex(of: chosen)
      else { return }
      choices.append(index)
    } else {
      let row = classes.map { key -> Bool? in
        switch truth.verdict(on: key, in: table.set(of: key)) {
        case .present: true
        case .absent: false
        case .disputed, .unknown: nil
        }
      }
      if row.allSatisfy({ $0 == nil }) { return }
      verdicts.append(row)
    }
    photos.append(photo)
  }

  /// Returns the set with only the photos for which `isIncluded` returns true.
  func filter(_ isIncluded: (PhotoID) -> Bool) -> TrainingSet {
    var part = TrainingSet(isExclusive: isExclusive, classes: classes)
    for (row, photo) in photos.enumerated() where isIncluded(photo) {
      part.photos.append(photo)
      if isExclusive {
        part.choices.append(choices[row])
      } else {
        part.verdicts.append(verdicts[row])
      }
    }
    return part
  }

  func verdict(_ row: Int, _ index: Int) -> Bool? {
    isExclusive ? choices[row] == index : verdicts[row][index]
  }

  var targets: Targets {
    isExclusive
      ? Targets(exclusive: choices, classCount: classes.count)
      : Targets(independent: verdicts, classCount: classes.count)
  }

  /// Returns the number of photos that have a class, or lack it.
  func count(_ index: Int, _ verdict: Bool) -> Int {
    photos.indices.count { self.verdict($0, index) == verdict }
  }
}
