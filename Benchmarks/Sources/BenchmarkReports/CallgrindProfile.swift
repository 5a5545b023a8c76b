/// What a file says that callgrind writes.
package struct CallgrindProfile: Equatable, Sendable {

  /// The name that the program gave when it asked for the file.
  package let name: String

  /// How many instructions were executed.
  package let instructions: Int

  /// How many of them locked the bus.
  package let atomics: Int

  /// - Returns: `nil` if the text is not that of a file that the program asked for.
  package init?(_ text: String) {
    var name: String?
    var counts: [Substring: Int] = [:]
    var events: [Substring] = []
    for line in text.split(separator: "\n") {
      if let range = line.firstRange(of: "desc: Trigger: Client Request: ") {
        name = String(line[range.upperBound...])
      } else if let range = line.firstRange(of: "events: ") {
        events = line[range.upperBound...].split(separator: " ")
      } else if let range = line.firstRange(of: "summary: ") {
        let numbers = line[range.upperBound...].split(separator: " ").compactMap { Int($0) }
        counts = Dictionary(zip(events, numbers)) { first, _ in first }
      }
    }
    // Callgrind leaves out zeros at the end of a line.
    guard let name, let instructions = counts["Ir"], events.contains("Ge") else { return nil }
    self.name = name
    self.instructions = instructions
    atomics = counts["Ge"] ?? 0
  }
}
