import ArgumentParser
import Cairn

/// The id whose hash decides to which subset a photo belongs.
enum SplitBasis: String, ExpressibleByArgument, CaseIterable { case photo, pin }

/// Parses a split, such as `train=80,val=20`.
func readSplit(_ text: String, by basis: SplitBasis, salt: String = "") throws -> Split {
  guard let split = Split(text, isByPin: basis == .pin, salt: salt) else {
    throw CairnError(
      .invalidInput, "“\(text)” is not a valid split.",
      hint: "Give subsets with their shares, such as `train=80,val=10,test=10`.")
  }
  return split
}
