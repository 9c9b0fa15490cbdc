import Cairn

extension RunArgument {
  /// Withdraws or restores the run, and prints whether it changed.
  func setWithdrawn(_ withdrawn: Bool, _ dryRun: DryRunOption, _ globals: GlobalOptions) throws {
    let dataset = try globals.dataset(dryRun)
    let id = try dataset.run(self.run).id
    let edit = try dataset.setRunWithdrawn(id, withdrawn)
    let (run, changed) = (edit.run, edit.changed)
    let members: JSONObject = [
      "changed": .bool(changed), "id": .string(run.id.text),
      "withdrawn": .bool(run.withdrawn.value),
    ]
    let name = "\(run.id.text.prefix(8)) of \(run.annotator.identity)"
    let unchanged = "\(name) \(withdrawn ? "was already withdrawn" : "is not withdrawn")"
    if dryRun.isOn {
      let labels = try dataset.runs().first { $0.run.id == id }?.labels ?? 0
      var counts = members
      counts["labels"] = JSON(labels)
      let effect = withdrawn ? "no longer count" : "count again"
      let would =
        "Would \(withdrawn ? "withdraw" : "restore") \(name): "
        + "\(count(labels, "label")) would \(effect)."
      return Console.printDryRun(globals, counts, [changed ? would : "\(unchanged)."])
    }
    Console.printChange(globals, .object(members)) {
      Console.print(changed ? "\(withdrawn ? "withdrawn" : "restored") \(name)" : unchanged)
    }
  }
}
