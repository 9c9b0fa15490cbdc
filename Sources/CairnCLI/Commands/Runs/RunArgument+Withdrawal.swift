import Cairn

extension RunArgument {
  /// Withdraws or restores the run, and prints whether it changed.
  func setWithdrawn(_ withdrawn: Bool, _ globals: GlobalOptions, _ quiet: QuietOption) throws {
    let dataset = try globals.dataset(quiet)
    let id = try dataset.run(self.run).id
    let edit = try dataset.setRunWithdrawn(id, withdrawn)
    let (run, changed) = (edit.run, edit.changed)
    Console.print(
      globals, quiet,
      [
        "changed": .bool(changed), "id": .string(run.id.text),
        "withdrawn": .bool(run.withdrawn.value),
      ]
    ) {
      let state = withdrawn ? "withdrawn" : "restored"
      let name = "\(run.id.text.prefix(8)) of \(run.annotator.identity)"
      Console.print(changed ? "\(state) \(name)" : "\(name) was already \(state)")
    }
  }
}
