/// A limit for a measure: relative to git in the same run, or for cairn alone.
struct Goal {
  enum Limit {
    /// Times git's.
    case ratio(Double)
    case seconds(Double)
    /// Largest divided by smallest dataset.
    case growth(Double)
    case peakGrowth(Double)
  }

  let measure: String
  let work: String
  let limit: Limit
  var contender = "cairn"
  /// The size for which the limit is meant; nil for every size.
  var documents: Int?

  init(
    _ measure: String, _ work: String, _ limit: Limit, by contender: String = "cairn",
    at documents: Int? = nil
  ) {
    (self.measure, self.work, self.limit) = (measure, work, limit)
    (self.contender, self.documents) = (contender, documents)
  }

  static let all = [
    Goal(
      "`status`, everything checked out", "status, everything checked out", .ratio(0.5)),
    Goal(
      "`label` + `sync`, everything checked out", "label + sync, everything checked out",
      .ratio(0.3)),
    Goal(
      "`sync` with nothing new, `git fetch`", "sync with nothing new, everything checked out",
      .ratio(1)),
    Goal(
      "take in photos and labels and commit", "photos: take in and commit", .seconds(12),
      at: 120_000),
    Goal("clone of them with images", "photos: clone", .ratio(0.6)),
    Goal("push of them", "photos: push", .ratio(0.2)),
    Goal("`label` + `commit` in them", "label + commit, with images", .ratio(0.3)),
    Goal("`label` + `sync` in them", "label + sync, with images", .ratio(0.5)),
    Goal("pull of one label in them", "photos: pull of one label", .ratio(0.4)),
    Goal(
      "`label` + `commit`, everything checked out", "label + commit, everything checked out",
      .ratio(1.0 / 150), at: 1_200_000),
    Goal(
      "`clone --documents none`, `git clone --no-checkout`", "clone", .ratio(1.3), at: 1_200_000),
    Goal(
      "import with index, `git fast-import`", "bulk import", .ratio(0.4),
      by: "cairn, with the index database", at: 1_200_000),
    Goal("index from nothing", "index database rebuild", .seconds(12), at: 1_200_000),
    Goal("pull and merge of 1,000 + 1,000", "pull and merge 1,000 + 1,000", .growth(1.5)),
    Goal("process start", "process start", .seconds(0.005)),
    Goal("`photo list`", "photo list", .seconds(1.5), at: 1_200_000),
    Goal("`photo list`, memory", "photo list", .peakGrowth(1.1)),
  ]
  static let diskRatio = 0.9
  static let findSeconds = 0.02
  static let findDocuments = 12_000_000
  static let peakBytes = 300e6
}
