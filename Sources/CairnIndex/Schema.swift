/// The tables and database indexes.
///
/// Photos, classes, annotators, pins and runs have small integer keys, since there are many labels.
/// A photo's key is a prefix of its id, so that sorting by key sorts by id.
enum Schema {
  static let version = 13

  static let tables = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE overlay (path TEXT PRIMARY KEY, status TEXT NOT NULL) WITHOUT ROWID;
    -- view: 0 without a document, 1 visible, 2 removed.
    -- taken: milliseconds of the camera's clock, read as UTC. has: see PhotoFields.
    -- file: a hash of the file name, see SearchText.
    CREATE TABLE photo (
      key INTEGER PRIMARY KEY, id BLOB NOT NULL, view INTEGER NOT NULL DEFAULT 0, pin INTEGER,
      removedTime INTEGER, removedTick INTEGER, title TEXT, has INTEGER NOT NULL DEFAULT 0,
      taken INTEGER, file INTEGER, added INTEGER, said INTEGER, resolution INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE photoDocument (photo INTEGER PRIMARY KEY, document BLOB NOT NULL);
    -- The locations in the files of photos, or those that their sources report; x, y, z as for a pin.
    CREATE VIRTUAL TABLE photoPlace USING rtree (
      photo, west, east, south, north, +latitude REAL, +longitude REAL, +x REAL, +y REAL, +z REAL);
    CREATE VIRTUAL TABLE photoText USING \(text("words, camera, author, licence, source"));
    CREATE VIRTUAL TABLE pinText USING \(text("words"));
    -- The texts of labels, for photos that were resolved.
    CREATE VIRTUAL TABLE saidText USING \(text("words"));
    -- x, y, z: the location as a point on the unit sphere, for distances.
    CREATE TABLE pin (
      key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT, removed INTEGER,
      latitude REAL, longitude REAL, x REAL, y REAL, z REAL, document BLOB);
    CREATE INDEX pinName ON pin (name);
    CREATE VIRTUAL TABLE pinPlace USING rtree (pin, west, east, south, north);
    -- naming: the key of its display name. canonical, exclusive: as of the last resolve.
    CREATE TABLE class (
      key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, name TEXT, naming TEXT, removed INTEGER,
      canonical INTEGER, exclusive TEXT, document BLOB);
    CREATE INDEX classNaming ON class (naming);
    CREATE INDEX classCanonical ON class (canonical);
    -- applied: whether it was withdrawn as of the last resolve.
    CREATE TABLE run (
      key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, withdrawn INTEGER NOT NULL DEFAULT 0,
      applied INTEGER NOT NULL DEFAULT 0, document BLOB);
    CREATE INDEX runWithdrawn ON run (withdrawn) WHERE withdrawn;
    -- person, threshold: as of the last resolve.
    CREATE TABLE annotator (
      key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, tag TEXT NOT NULL, person TEXT,
      threshold REAL);
    CREATE INDEX annotatorTag ON annotator (tag);
    -- box: 0 for the whole photo. verdict: 0 withdrawn, 1 present, 2 absent.
    CREATE TABLE label (
      photo INTEGER NOT NULL, class INTEGER NOT NULL, annotator INTEGER NOT NULL,
      box INTEGER NOT NULL, verdict INTEGER NOT NULL, said INTEGER NOT NULL,
      tick INTEGER NOT NULL, confidence REAL NOT NULL, run INTEGER, region TEXT,
      words TEXT, source TEXT,
      PRIMARY KEY (photo, class, annotator, box)) WITHOUT ROWID;
    -- Resolutions. state: 0 confirmed, 1 rejected, 2 predicted, 3 disputed.
    CREATE TABLE resolution (
      photo INTEGER NOT NULL, class INTEGER NOT NULL, state INTEGER NOT NULL,
      confidence REAL NOT NULL, PRIMARY KEY (photo, class)) WITHOUT ROWID;
    -- Error rates of people in a class or an exclusive set, for the policy dawid-skene. kind: class
    -- or set. fingerprint: of the votes that the rates were estimated from.
    CREATE TABLE consensus (
      kind TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, estimate BLOB NOT NULL,
      PRIMARY KEY (kind, key)) WITHOUT ROWID;
    -- Photos that changed since they were resolved.
    CREATE TABLE stale (photo INTEGER PRIMARY KEY);
    """

  /// Returns the definition of a full-text table, for text normalized by ``SearchText``.
  ///
  /// Accents are already removed. Emoji count as words, and vowel signs as parts of words.
  private static func text(_ columns: String) -> String {
    """
    fts5 (\(columns), columnsize = 0,
      tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co So'")
    """
  }

  /// The length of a day. Times are indexed by day: the rows of one day are sorted by photo.
  static let dayMilliseconds: Int64 = 86_400_000

  /// A database index that a bulk load creates at its end: filling one from a sorted table is far
  /// cheaper than keeping it up to date.
  struct Secondary {
    let name: String
    let table: String
    let columns: String

    var create: String { "CREATE INDEX \(name) ON \(table) \(columns)" }
    var drop: String { "DROP INDEX \(name)" }
  }

  /// The indexes on data from documents.
  static let ofDocuments = [
    Secondary(name: "photoPin", table: "photo", columns: "(pin) WHERE pin IS NOT NULL"),
    Secondary(name: "photoFile", table: "photo", columns: "(file) WHERE file IS NOT NULL"),
    Secondary(name: "labelClass", table: "label", columns: "(class, verdict, photo)"),
    Secondary(name: "labelAnnotator", table: "label", columns: "(annotator, photo, verdict)"),
    Secondary(
      name: "labelSaid", table: "label",
      columns: "(said / \(dayMilliseconds), photo, said, verdict)"),
    Secondary(
      name: "photoTaken", table: "photo",
      columns: "(taken / \(dayMilliseconds)) WHERE taken IS NOT NULL"),
    Secondary(name: "labelRun", table: "label", columns: "(run, verdict) WHERE run IS NOT NULL"),
    Secondary(name: "labelBox", table: "label", columns: "(photo, verdict, box) WHERE box > 0"),
  ]

  /// The indexes on resolutions.
  static let ofResolutions = [
    Secondary(name: "photoBare", table: "photo", columns: "(resolution) WHERE resolution = 0"),
    Secondary(name: "photoRemoved", table: "photo", columns: "(view) WHERE view = 2"),
    Secondary(
      name: "resolutionClass", table: "resolution", columns: "(class, photo, state, confidence)"),
    Secondary(
      name: "resolutionState", table: "resolution", columns: "(state, photo, class, confidence)"),
    Secondary(
      name: "resolutionUnsure", table: "resolution",
      columns: "(state, confidence, photo) WHERE confidence < 1"),
  ]

  static let sql =
    tables + (ofDocuments + ofResolutions).map { "\($0.create);" }.joined(separator: "\n")
}
