internal import Cairn
internal import Hummingbird

/// The remotes, sync, commits, and images that are elsewhere.
enum SyncRoutes {
  static let all = [
    Route(.get, "/api/status", status), Route(.post, "/api/sync", sync),
    Route(.post, "/api/commit", commit), Route(.post, "/api/images", images),
  ]

  private static func status(_ request: APIRequest) async throws -> Response {
    let library = request.server.library
    let json = try await library.read(as: request.session.person) {
      try $0.statusJSON(library.imageCount($0))
    }
    return .json(json)
  }

  private static func sync(_ request: APIRequest) async throws -> Response {
    let remote = try await request.body().text("remote")
    let (server, person) = (request.server, request.session.person)
    let job = try server.jobs.start("sync", "Sync", person) { job in
      // Commits are made by the user of this device, whose remotes these are.
      let (json, failure) = try await server.library.runLong(as: nil, for: job) { dataset in
        let report = try dataset.sync(remote)
        return (try dataset.json(report), report.failure.map { CairnError($0) })
      }
      server.noteEdit()
      server.events.send("dataset", ["reason": "pull"])
      job.keep(json)
      if let failure { throw failure }
      return json
    }
    return .json([("job", .string(job.id))], status: .accepted)
  }

  private static func commit(_ request: APIRequest) async throws -> Response {
    let message = try await request.body().text("message")
    let result = try await request.server.library.write(as: request.session.person) {
      dataset, _ in try dataset.commit(message: message)
    }
    request.server.events.send("dataset", ["reason": "commit"])
    return .json([
      ("changes", JSON(result.changes.count)), ("commit", JSON(result.commit?.description)),
    ])
  }

  private static func images(_ request: APIRequest) async throws -> Response {
    let target = try EditTarget(try await request.body()["target"], in: request.session)
    let (server, person) = (request.server, request.session.person)
    let job = try server.jobs.start("images", "Images", person) { job in
      let report = try await server.library.runLong(as: nil, for: job) { dataset in
        try dataset.fetchImages(of: target.photos(in: dataset))
      }
      server.sendPhotos(nil, by: person)
      return ["fetched": JSON(report.transferred), "missing": JSON(report.left)]
    }
    return .json([("job", .string(job.id))], status: .accepted)
  }
}

extension Dataset {
  /// Returns the state as it matters to a sync. Files that other programs changed are not searched
  /// for: a sync finds them, and reports those that it leaves out.
  fileprivate func statusJSON(_ images: ImageCount) throws -> JSON {
    let status = try status(everywhere: false)
    return [
      "branch": JSON(status.branch), "commit": JSON(status.commit),
      "images": [
        "here": JSON(images.total - images.elsewhere), "missing": JSON(images.elsewhere),
      ],
      "name": .string(status.name),
      "operation": JSON(status.operation?.kind.rawValue),
      "problems": .array(status.working.problems.map(\.json)),
      "remotes": .array(
        try remoteStates().map { state -> JSON in
          let (ahead, behind) = (state.upstream?.ahead, state.upstream?.behind)
          return [
            "address": .string(state.remote.address), "ahead": ahead.map { JSON($0) } ?? .null,
            "behind": behind.map { JSON($0) } ?? .null, "name": .string(state.remote.name),
          ]
        }),
      "uncommitted": JSON(status.working.changes.count),
      "upstream": status.upstream.map {
        ["ahead": JSON($0.ahead), "behind": JSON($0.behind), "remote": .string($0.remote)]
      } ?? .null,
    ]
  }

  fileprivate func json(_ report: SyncReport) throws -> JSON {
    let summaries = try report.pulls.map { try summary(of: $0) }
    var received: [DocumentKind: Int] = [:]
    for pull in report.pulls { received.merge(pull.checkout.changed) { $0 + $1 } }
    let last = report.pulls.last
    return [
      "commit": JSON((report.push?.commit ?? last?.commit ?? report.committed.commit)?.description),
      "disagreements": .array(
        summaries.flatMap(\.disagreements).map {
          [
            "class": .string($0.resolution.classKey.text), "name": .string($0.resolution.name),
            "photo": .string($0.photo.description),
            "reason": .string($0.resolution.reason.text),
          ]
        }), "problems": .array(report.committed.problems.map(\.json)),
      "pulled": .string(last.map { $0.outcome.code } ?? "upToDate"),
      "received": .object(
        JSONObject(received.map { ($0.key.rawValue, JSON($0.value)) })),
      "removals": .array(summaries.flatMap(\.removals).map(\.json)),
      "removedAndLabeled": .array(
        summaries.flatMap(\.removedAndLabeled).map {
          [
            "people": .array($0.people.map { .string($0.identity) }),
            "photo": .string($0.photo.description), "text": .string($0.text),
            "visible": .bool($0.isVisible),
          ]
        }),
      "sent": [
        "images": JSON(report.push?.images ?? 0), "objects": JSON(report.push?.objects ?? 0),
      ], "text": .string(report.sentence),
    ]
  }
}

extension SyncReport {
  /// What was done, such as “Committed 3 labels as 4f2a9c1; fast-forwarded to origin: 2 labels
  /// changed; origin is up to date.”
  fileprivate var sentence: String {
    let text = description
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}

extension PullSummary.RemovedAndLabeled {
  fileprivate var text: String {
    let who = people.map(\.identity).joined(separator: ", ")
    let (here, there) = isRemovedHere ? ("here", "there") : ("there", "here")
    return "\(name.isEmpty ? photo.short : name) was removed \(here) and labeled \(there) by "
      + "\(who): \(isVisible ? "it is visible again" : "it stays hidden")."
  }
}

extension PullSummary.Removal {
  fileprivate var json: JSON {
    [
      "author": .string(author), "commit": .string(commit),
      "photos": .array(
        photos.map { ["id": .string($0.photo.description), "name": .string($0.name)] }),
      "summary": .string(summary),
    ]
  }
}

extension PullReport.Outcome {
  fileprivate var code: String {
    switch self {
    case .upToDate: "upToDate"
    case .fastForward: "fastForward"
    case .merged: "merged"
    }
  }
}

extension WorkingProblem {
  fileprivate var json: JSON { ["path": .string(path), "problem": .string(reason.sentence)] }
}
