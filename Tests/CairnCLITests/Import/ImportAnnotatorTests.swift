import Foundation
import TestSupport
import Testing

@Suite("cairn import: who made the labels")
struct ImportAnnotatorTests {
  private struct Label: Equatable {
    let name: String
    let by: String
    let verdict: String
    /// The time of its stamp, to the second.
    let time: String
  }

  /// Returns the labels of a photo, sorted by annotator and class.
  private func labels(of photo: String, in dataset: String = "a", _ box: Sandbox) throws -> [Label]
  {
    try box.json("show", photo, in: dataset)["labels"].elements.map { label in
      Label(
        name: label["class"].string, by: label["annotator"].string,
        verdict: label["verdict"].string, time: String(label["stamp"].string.prefix(19)))
    }.sorted { ($0.by, $0.name) < ($1.by, $1.name) }
  }

  /// Writes a Label Studio export with two people's annotations of a photo, and a prediction: as
  /// the API exports it, with the ids of users, or with `expand=completed_by`.
  private func writeTasks(_ box: Sandbox, _ photo: String, people: (String, String)) throws {
    func annotation(_ id: Int, by person: String, _ choice: String, _ minute: String) -> String {
      """
      {"id": \(id), "completed_by": \(person), "was_cancelled": false, "ground_truth": false,
       "created_at": "2024-03-09T22:16:08.728353Z", "updated_at": "2024-03-09T22:\(minute):08.728378Z",
       "draft_created_at": null, "lead_time": 4.288, "task": 1, "project": 83, "result": [
        {"id": "a\(id)", "type": "choices", "from_name": "c", "to_name": "img",
         "value": {"choices": ["\(choice)"]}}]}
      """
    }
    try box.write(
      """
      [{"id": 1, "data": {"image": "\(photo).png"},
        "annotations": [
        \(annotation(1, by: people.0, "oak", "17")),
        \(annotation(2, by: people.1, "elm", "18"))],
        "predictions": [{"id": 3, "model_version": "net@1", "score": 0.5,
         "created_at": "2024-03-08T10:00:00Z", "result": [
          {"type": "choices", "value": {"choices": ["elm"]}}]}]}]
      """, to: "tasks.json")
  }

  private static let studio = [
    Label(
      name: "oak", by: "human:jo@example.org", verdict: "present", time: "2024-03-09T22:17:08"),
    Label(
      name: "elm", by: "human:kim@example.org", verdict: "present", time: "2024-03-09T22:18:08"),
    Label(name: "elm", by: "model:net@1", verdict: "present", time: "2024-03-08T10:00:00"),
  ]

  @Test("gives each Label Studio user their own labels, with the times in the file")
  func addresses() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let people = (
      #"{"id": 7, "email": "Jo@example.org", "first_name": "Jo", "last_name": "", "initials": "jo"}"#,
      #"{"email": "kim@example.org"}"#
    )
    try writeTasks(box, photo, people: people)
    let report = try box.json("import", "label-studio", "../tasks.json", in: "a")
    #expect(report["notes"].elements.isEmpty)
    #expect(try labels(of: photo, box) == ImportAnnotatorTests.studio)
    let again = try box.json("import", "label-studio", "../tasks.json", in: "a")
    #expect(again["commit"] == .null)
    try box.expectSound("a")
  }

  @Test("maps the ids of users to addresses, and refuses ids that nobody mapped")
  func ids() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try writeTasks(box, photo, people: ("7", "12"))
    let refused = try box.run("cairn", ["import", "label-studio", "../tasks.json"], in: "a")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("tasks.json, line 1: the label is by “7”, whose email address"))
    #expect(refused.stderr.contains("--annotators MAP.csv, a table with the line “7,ADDRESS”"))
    // One person cannot stand for two users.
    let both = try box.run(
      "cairn", ["import", "label-studio", "../tasks.json", "--annotator", "jo@example.org"], in: "a"
    )
    #expect(both.status == ExitStatus.badData)
    #expect(both.stderr.contains("by “7” and by “12”, so --annotator cannot stand for both"))

    try box.write("user;address\n7;Jo@example.org\n12;kim@example.org\n", to: "people.csv")
    try box.cairn(
      "import", "label-studio", "../tasks.json", "--annotators", "../people.csv", in: "a")
    #expect(try labels(of: photo, box) == ImportAnnotatorTests.studio)
    let again = try box.json(
      "import", "label-studio", "../tasks.json", "--annotators", "../people.csv", in: "a")
    #expect(again["commit"] == .null)
  }

  @Test(
    "refuses invalid tables of annotators",
    arguments: [
      ("7,jo\n12,kim@example.org\n8,bo\n", "people.csv, line 3: “bo” is not an email address"),
      ("7,jo@example.org\n7,kim@example.org\n", "people.csv, line 2: “7” has two addresses"),
      ("7,jo@example.org,x\n", "people.csv, line 1: 3 cells"),
    ])
  func tables(text: String, message: String) throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try writeTasks(box, photo, people: ("7", "12"))
    try box.write(text, to: "people.csv")
    let output = try box.run(
      "cairn", ["import", "label-studio", "../tasks.json", "--annotators", "../people.csv"], in: "a"
    )
    #expect(output.status == ExitStatus.badData)
    #expect(output.stderr.contains(message), "\(output.stderr)")
    try box.refuses(
      "import", "label-studio", "../tasks.json", "--annotators", "../none.csv", in: "a",
      with: ExitStatus.notFound, hint: false)
  }

  @Test("never gives a label to the importing person unless asked to, and says what to add")
  func nobody() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.write("file_name,label\n\(photo).png,oak\n", to: "a.csv")
    let refused = try box.run("cairn", ["import", "csv", "../a.csv", "--skip-invalid"], in: "a")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("a.csv, line 2: the file does not say whose label this is"))
    #expect(refused.stderr.contains("Add `--annotator ann@example.org` if the labels are yours"))
    #expect(try labels(of: photo, box).isEmpty)
    // The hint works.
    try box.cairn("import", "csv", "../a.csv", "--annotator", "ann@example.org", in: "a")
    #expect(try labels(of: photo, box).map(\.by) == ["human:ann@example.org"])
  }

  @Test("lets a person's own later label win over an imported one, whenever it is imported")
  func ownLabels() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    // Bo's labels, dated and not, as a table of an annotation tool.
    try box.write(
      """
      file_name,label,annotator,updated_at
      \(photo).png,oak,bo@example.org,2024-05-01T12:00:00Z
      \(photo).png,elm,bo@example.org,
      \(photo).png,fir,bo@example.org,2024-05-01T12:00:00Z
      """, to: "a.csv")
    try box.setIdentity("Bo", in: "a")
    try box.cairn("label", photo, "oak", "--absent", in: "a")
    try box.cairn("label", photo, "elm", "--absent", in: "a")
    try box.setIdentity("Ann", in: "a")
    let report = try box.json("import", "csv", "../a.csv", in: "a")
    #expect(
      report["notes"].elements.map(\.string)
        == ["kept a label that its annotator has changed since, 2 times"])
    func verdicts() throws -> [String] {
      try labels(of: photo, box).map { "\($0.name) \($0.verdict)" }
    }
    #expect(try verdicts() == ["elm absent", "fir present", "oak absent"])
    // Bo withdraws a label that was imported.
    try box.setIdentity("Bo", in: "a")
    try box.cairn("unlabel", photo, "fir", in: "a")
    try box.setIdentity("Ann", in: "a")
    try box.cairn("commit", in: "a")
    let again = try box.json("import", "csv", "../a.csv", in: "a")
    #expect(again["commit"] == .null)
    #expect(try verdicts().contains("fir present") == false)
    try box.expectSound("a")
  }

  @Test("changes an imported label when a corrected file is imported, dated or not")
  func corrections() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    func write(_ state: String, _ time: String) throws {
      try box.write(
        """
        file_name,label,state,annotator,updated_at
        \(photo).png,oak,\(state),bo@example.org,
        \(photo).png,elm,\(state),bo@example.org,\(time)
        """, to: "a.csv")
      try box.cairn("import", "csv", "../a.csv", in: "a")
    }
    try write("present", "2024-05-01T12:00:00Z")
    try write("absent", "2024-05-02T12:00:00Z")
    #expect(try labels(of: photo, box).map(\.verdict) == ["absent", "absent"])
    let again = try box.json("import", "csv", "../a.csv", in: "a")
    #expect(again["commit"] == .null)
    // An older file does not undo it.
    try box.write(
      """
      file_name,label,annotator,updated_at
      \(photo).png,elm,bo@example.org,2024-05-01T12:00:00Z
      """, to: "old.csv")
    #expect(try box.json("import", "csv", "../old.csv", in: "a")["commit"] == .null)
    #expect(try labels(of: photo, box).map(\.verdict) == ["absent", "absent"])
  }

  @Test("imports rows in any order equally, and keeps the latest of dated verdicts")
  func unsorted() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    // What bo and jo thought of each photo, day by day.
    let verdicts = ["present", "present", "absent", "present", "absent"]
    let rows: [(day: Int, text: String)] = photos.flatMap { photo in
      ["bo", "jo"].flatMap { person in
        verdicts.enumerated().map { day, verdict in
          (day, "\(photo).png,oak,\(verdict),\(person)@example.org,2024-05-0\(day + 1)T12:00:00Z")
        }
      }
    }
    let orders = [
      rows, Array(rows.reversed()), rows.sorted { $0.day < $1.day },
      rows.sorted { $0.day > $1.day },
    ]
    var trees: Set<String> = []
    for (number, rows) in orders.enumerated() {
      let lines = ["file_name,label,state,annotator,updated_at"] + rows.map(\.text)
      try box.write(lines.joined(separator: "\n"), to: "rows.csv")
      try box.sh("cp -r a copy\(number)")
      let report = try box.json("import", "csv", "../rows.csv", in: "copy\(number)")
      #expect(report["labels"].number == 6)
      for photo in photos {
        let labels = try labels(of: photo, in: "copy\(number)", box)
        #expect(labels.map(\.verdict) == ["absent", "absent"])
        #expect(labels.map(\.time) == ["2024-05-05T12:00:00", "2024-05-05T12:00:00"])
      }
      trees.insert(try box.git("rev-parse", "HEAD:labels", in: "copy\(number)").stdout)
      let again = try box.json("import", "csv", "../rows.csv", in: "copy\(number)")
      #expect(again["commit"] == .null)
    }
    #expect(trees.count == 1)
  }

  @Test("makes a run of each model's labels, which can be withdrawn")
  func runs() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.write("file_name,label,score\n\(photo).png,oak,0.5\n", to: "a.csv")
    try box.cairn("import", "csv", "../a.csv", "--as", "net@1", in: "a")
    let runs = try box.json("run", "list", in: "a").elements
    let id = try #require(runs.first)["id"].string
    #expect(runs.count == 1)
    let label = try #require(try box.json("show", photo, in: "a")["labels"].elements.first)
    #expect(label["run"].string == id)
    // The same labels stay in their run; changed ones are of a new one.
    let same = try box.json("import", "csv", "../a.csv", "--as", "net@1", in: "a")
    #expect(same["commit"] == .null)
    try box.cairn("run", "withdraw", id, in: "a")
    try box.cairn("commit", in: "a")
    let left = try box.json("import", "csv", "../a.csv", "--as", "net@1", in: "a")
    #expect(left["commit"] == .null)
    let note =
      "left a label in the withdrawn run \(id.prefix(8)), which "
      + "`cairn run restore \(id.prefix(8))` restores, once"
    #expect(left["notes"].elements.map(\.string) == [note])
    try box.write("file_name,label,score\n\(photo).png,oak,0.75\n", to: "a.csv")
    try box.cairn("import", "csv", "../a.csv", "--as", "net@1", in: "a")
    #expect(try box.json("run", "list", in: "a").elements.count == 2)
    try box.expectSound("a")
  }

  @Test("takes --map for csv, and proposes it when typed as proposed")
  func map() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.write("Photo of tree;Kind, as seen\n\(photo).png;oak\n", to: "a.csv")
    let refused = try box.run(
      "cairn", ["import", "csv", "../a.csv", "--annotator", "ann@example.org"], in: "a")
    #expect(refused.status == ExitStatus.badData)
    #expect(refused.stderr.contains("found Photo of tree, Kind, as seen"))
    let hint = try #require(refused.stderr.split(separator: "`").first { $0.hasPrefix("--map ") })
    try box.sh("cairn import csv ../a.csv --annotator ann@example.org \(hint)", in: "a")
    #expect(try labels(of: photo, box).map(\.name) == ["oak"])
    // A column's name may have a comma.
    let known = try box.json(
      "import", "csv", "../a.csv", "--annotator", "ann@example.org", "--map",
      "image=Photo of tree,label=Kind, as seen", in: "a")
    #expect(known["commit"] == .null)
    for map in ["image", "image=a,image=b", "=a"] {
      try box.refuses("import", "csv", "../a.csv", "--map", map, in: "a", with: ExitStatus.usage)
    }
    try box.refuses("import", "voc", "../x", "--map", "image=a", in: "a", with: ExitStatus.usage)
  }

  @Test("finds images that a table names by their ids, and boxes of each size")
  func tables() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.sh("mkdir x; cp from/photo-0.png x/b6ab77fd7.png; cp from/photo-1.png x/photo-1.png")
    // The images have 40 × 30 and 41 × 31 pixels.
    try box.write(
      """
      image_id,width,height,bbox,source
      b6ab77fd7,80,60,"[20, 15, 40, 30]",usask_1
      """, to: "x/wheat.csv")
    try box.write(
      """
      filename,width,height,class,xmin,ymin,xmax,ymax
      photo-1.png,41,31,dog,0,0,41,31
      """, to: "x/_annotations.csv")
    try box.cairn("init", "b")
    try box.cairn(
      "import", "csv", "../x/wheat.csv", "--map", "label==wheat head", "--annotator",
      "ann@example.org", in: "b")
    try box.cairn(
      "import", "csv", "../x/_annotations.csv", "--annotator", "ann@example.org", in: "b")
    let regions = try box.records(in: "b").flatMap { record in
      record["labels"].elements.map { label -> String in
        let numbers = ["x", "y", "width", "height"].map { label["region"][$0].number }
        return "\(label["class"].string) \(numbers)"
      }
    }
    #expect(
      regions.sorted() == ["dog [0.0, 0.0, 1.0, 1.0]", "wheat-head [0.25, 0.25, 0.5, 0.5]"])
    // Images are also found in the usual directories below the given one.
    try box.sh("mkdir -p y/images; cp from/photo-2.png y/images/tree.png")
    try box.write("image_name,label_name\ntree,elm\n", to: "elm.csv")
    try box.cairn(
      "import", "csv", "../elm.csv", "--image-dir", "../y", "--annotator", "ann@example.org",
      in: "b")
    #expect(try box.labels(of: scene.photos[2], in: "b") == ["ann: elm present"])
    // Of the paths of another computer, the end is found that is the longest.
    try box.sh(
      """
      mkdir -p z/site-1 z/site-2; cp from/photo-0.png z/site-1/IMG_1.png
      cp from/photo-1.png z/site-2/IMG_1.png
      """)
    try box.write(
      """
      path,label
      /mnt/card/site-1/IMG_1.png,ash
      C:\\card\\site-2\\IMG_1.png,yew
      """, to: "paths.csv")
    try box.cairn(
      "import", "csv", "../paths.csv", "--image-dir", "../z", "--annotator", "ann@example.org",
      in: "b")
    #expect(try box.labels(of: scene.photos[0], in: "b").contains("ann: ash present"))
    #expect(try box.labels(of: scene.photos[1], in: "b").contains("ann: yew present"))
  }
}
