internal import CairnBase
internal import CairnDocument
internal import CairnMerge
public import CairnReview

extension ReviewReasonDetail {
  /// The detail as a phrase: `“oak” is confirmed on only 3 photos`.
  public var text: String {
    switch self {
    case .disputed(let reason): reason.text
    case .undecided(let first, let second):
      "\(first.text) and “\(second.className)” with \(second.confidence.text)"
    case .nearThreshold(let prediction, let threshold):
      "\(prediction.text) (threshold \(JSONNumber(threshold).text))"
    case .contradicted(let prediction, let contradictions):
      ([prediction.text] + contradictions.map(\.text)).joined(separator: "; ")
    case .removed(let people):
      "the photo was removed, and \(people.map(\.identity).formattedList) had labeled it on another "
        + "device; these labels are hidden now"
    case .duplicate(let className, let photo, let isRejectedHere):
      "“\(className)” is confirmed on \(photo.short), which looks the same"
        + (isRejectedHere ? ", and rejected on this photo" : "")
    case .suspect(let prediction):
      "\(prediction.model.identity), trained without this photo, predicts “\(prediction.className)” "
        + "with confidence \(prediction.confidence.text)"
    case .rare(let className, let count):
      "“\(className)” is confirmed on "
        + (count == 0 ? "no photo" : count == 1 ? "only one photo" : "only \(count) photos")
    case .logged(_, let text): text
    }
  }
}

extension ModelPrediction {
  /// `resnet50@1 predicts “dog” with confidence 0.61`
  fileprivate var text: String {
    "\(model.identity) predicts “\(className)” with confidence \(confidence.text)"
  }
}

extension ModelContradiction {
  fileprivate var text: String {
    switch self {
    case .absent(let model): "\(model.identity) labels it absent"
    case .other(let prediction): prediction.text
    }
  }
}

extension ReviewMessage {
  /// The message in whole sentences.
  public var text: String {
    switch self {
    case .noOtherClass:
      "This is about the whole photo: accept restores it, reject leaves it removed."
    case .alreadyDecided(nil): "Already resolved by someone else. Nothing was written."
    case .alreadyDecided(let resolution?):
      "Already resolved by someone else: “\(resolution.name)” is \(resolution.state.rawValue), "
        + "\(resolution.reason.text). Nothing was written."
    case .changed: "Somebody labeled it in the meantime. Nothing was written; please check again."
    case .undone(nil): "Not undone: it has changed since then."
    case .undone(.asBefore?): "Undone."
    case .undone(.previousWithdrawn?):
      "Undone. Your earlier label had been overridden by a later one and is now withdrawn."
    case .undone(.statusChanged?):
      "Undone. Your earlier label is restored and now counts as the latest."
    case .text(let text): text
    }
  }
}
