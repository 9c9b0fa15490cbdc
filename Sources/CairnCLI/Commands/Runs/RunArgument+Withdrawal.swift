import Cairn

extension RunArgument {
  /// Withdraws or restores the run, and prints whether it changed.
  func setWithdrawn(_ withdrawn: Bool, _ globals: GlobalOptions) throws {
    let dataset = try globals.dataset()
    let id = try dataset.run(self.run).id
    let edit = try dataset.setRunWithdrawn(id, withdrawn)
    let (run, changed) = (edit.run, edit.changed)
    Console.printChange(
      globals,
      [
        "changed": .bool(changed), "id": .string(run.id.text),
        "withdrawn": .bool(run.withdrawn.value),
      ]
    ) {
      let (done, unchanged) =
        withdrawn ? ("withdrawn", "was already withdrawn") : ("restored", "is not withdrawn")
      let name = "\(run.id.text.prefix(8)) of \(run.annotator.identity)"
      Console.print(changed ? "\(done) \(name)" : "\(name) \(unchanged)")
    }
  }
}
