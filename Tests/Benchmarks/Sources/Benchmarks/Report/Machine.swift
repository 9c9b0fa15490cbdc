import Foundation

/// The machine on which the figures were measured.
struct Machine: Codable, CustomStringConvertible {
  var processor: String
  var cores: Int
  var memory: Double
  var kernel: String
  var fileSystem: String
  var date: String
  /// The load averages when the benchmark started.
  var load: String

  init(stopwatch: Stopwatch, place: URL) {
    func ask(_ words: String...) -> String? {
      var command = Command(at: place)
      command.words = words
      return try? stopwatch.output(command)
    }
    let facts = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let model = facts?.split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    processor = model ?? ask("sysctl", "-n", "machdep.cpu.brand_string") ?? "unknown processor"
    cores = ProcessInfo.processInfo.activeProcessorCount
    memory = Double(ProcessInfo.processInfo.physicalMemory)
    kernel = ask("uname", "-srm") ?? "unknown system"
    fileSystem =
      ask("findmnt", "-n", "-r", "-o", "FSTYPE,SOURCE", "-T", place.path) ?? "unknown file system"
    date = ask("date", "-u", "+%Y-%m-%d %H:%M UTC") ?? ""
    load =
      ask("uptime")?.components(separatedBy: "average").last?
      .trimmingCharacters(in: CharacterSet(charactersIn: "s: ")) ?? ""
  }

  var description: String {
    """
    \(processor), \(cores) cores, \(bytes(memory)) of memory, \(kernel), \(fileSystem); \(date), load \
    \(load).
    """
  }
}
