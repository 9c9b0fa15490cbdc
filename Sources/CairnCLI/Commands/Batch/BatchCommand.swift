import ArgumentParser
import Cairn

struct Batch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch", abstract: "Answer requests from another program, one per line.",
    discussion: HelpText.paragraphs(
      """
      For programs that read or write many labels: the process keeps running and reads requests from
      stdin, one JSON object per line, until stdin ends. Each answer is one line with the request's
      “id” and either its “result” or its “error”, with the same members as the `--json` output of
      the command of that name. A label is on the disk when its answer is printed.

      REQUESTS
        {"id": 1, "do": "find", "query": "state:confirmed", "sort": "id", "limit": 10}
            one line with “item” for each photo, then a line with “result”: {"count": 10};
            with "labels": true, items also have the labels, as `cairn show` prints them;
            with "split": "standard", the subset of this recorded split
        {"do": "count", "query": …}
        {"do": "show", "photo": "3fa9"}           {"do": "why", "photo": …, "class": …}
        {"do": "label", "photos": ["3fa9"], "classes": ["oak"], "verdict": "absent",
         "confidence": 0.9, "as": "tree@1", "run": "41d8", "box": [0.1, 0.2, 0.5, 0.4],
         "text": …, "create": true}               members after “classes” are optional
        {"do": "label each", "labels": [{"photo": "3fa9", "class": "oak", "confidence": 0.9}],
         "run": "41d8"}                           many labels, written to the disk at once
        {"do": "unlabel", "photos": …, "class": …, "as": …}
        {"do": "accept", "photos": …, "class": …} or "reject"
        {"do": "run start", "model": "tree@1", "parameters": {"size": 224}}
        {"do": "run list"}   {"do": "run withdraw", "run": …}   {"do": "class list"}
        {"do": "split list"}   {"do": "thumbnail", "photo": …}   {"do": "image", "photo": …}
            a thumbnail is a JPEG in Base64; for an image, the answer is its path

      Each request that changes something is an operation, which `cairn undo` undoes. With
      "continues": true, a request is part of the operation of the request before it.
      """))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    while let line = readLine() {
      if line.isEmpty { continue }
      var id = JSON.null
      do {
        let request: JSON
        do { request = try JSON(bytes: line.utf8) } catch {
          throw CairnError(.invalidInput, "The request is not JSON: \(error).")
        }
        id = request["id"] ?? .null
        let result = try BatchRequest(request, dataset).answer { item in
          Console.write((["id": id, "item": item] as JSON).line)
        }
        Console.write((["id": id, "result": result] as JSON).line)
      } catch {
        let error = CairnError(error)
        Console.write((["error": error.rendered, "id": id] as JSON).line)
      }
    }
  }
}
