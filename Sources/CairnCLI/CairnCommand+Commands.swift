import ArgumentParser

extension CairnCommand {
  /// Commands by name. The configuration of a command has its name, too, with the text of its help
  /// page, which takes long to make.
  typealias Commands = KeyValuePairs<String, @Sendable () -> any ParsableCommand.Type>

  static let hiddenCommands: Commands = [
    "lfs": { LFS.self }, "merge-driver": { MergeDriver.self }, "textconv": { Textconv.self },
    "complete": { Complete.self },
  ]

  /// The commands of the help page, in its groups.
  static let groups: [(name: String, commands: Commands)] = [
    (
      "Start",
      ["init": { Init.self }, "clone": { Clone.self }, "config": { ConfigCommand.self }]
    ),
    (
      "Pins and photos",
      [
        "pin": { PinCommand.self }, "photo": { PhotoCommand.self },
        "source": { SourceCommand.self },
      ]
    ),
    (
      "Labels",
      [
        "label": { LabelCommand.self }, "unlabel": { Unlabel.self }, "accept": { Accept.self },
        "reject": { Reject.self }, "show": { Show.self }, "why": { Why.self },
        "find": { Find.self }, "categories": { Categories.self },
        "favorite": { Favorite.self }, "review": { Review.self }, "serve": { Serve.self },
      ]
    ),
    (
      "Classes, models and rules",
      [
        "class": { ClassCommand.self }, "labeler": { LabelerCommand.self },
        "train": { Train.self }, "predict": { Predict.self }, "run": { RunCommand.self },
        "policy": { PolicyCommand.self }, "split": { SplitCommand.self },
      ]
    ),
    (
      "Metrics",
      [
        "agreement": { AgreementCommand.self }, "evaluate": { Evaluate.self },
        "report": { ReportCommand.self },
      ]
    ),
    (
      "History",
      [
        "status": { Status.self }, "commit": { CommitCommand.self }, "log": { Log.self },
        "diff": { Diff.self }, "undo": { Undo.self }, "operations": { Operations.self },
        "checkout": { Checkout.self },
      ]
    ),
    (
      "Remotes and images",
      [
        "remote": { RemoteCommand.self }, "pull": { Pull.self }, "push": { Push.self },
        "sync": { Sync.self }, "images": { ImagesCommand.self },
      ]
    ),
    (
      "Maintenance",
      ["doctor": { Doctor.self }, "verify": { Verify.self }, "gc": { GarbageCollect.self }]
    ),
    (
      "Import and export",
      ["import": { ImportCommand.self }, "export": { ExportCommand.self }]
    ),
    (
      "Programs and shells",
      [
        "batch": { Batch.self }, "lfs-agent": { LFSAgent.self },
        "completion": { CompletionCommand.self },
      ]
    ),
  ]
}
