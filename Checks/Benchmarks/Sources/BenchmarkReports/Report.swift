import Foundation

/// All numbers of one run, in a form to print.
package struct Report: Encodable {

  package let rounds: Int
  package var workloads: [WorkloadRow]
  package var crowds: [CrowdRow]
  package var junctions: [JunctionRow]
  package var senders: [SendersRow]

  package init(
    rounds: Int,
    workloads: [WorkloadRow] = [],
    crowds: [CrowdRow] = [],
    junctions: [JunctionRow] = [],
    senders: [SendersRow] = []
  ) {
    self.rounds = rounds
    self.workloads = workloads
    self.crowds = crowds
    self.junctions = junctions
    self.senders = senders
  }

  /// The report as tables in Markdown.
  package var markdown: String {
    var tables: [MarkdownTable] = []
    tables += WorkloadRow.tables(of: workloads)
    if !crowds.isEmpty { tables.append(CrowdRow.table(of: crowds)) }
    if !junctions.isEmpty { tables.append(JunctionRow.table(of: junctions)) }
    if !senders.isEmpty { tables.append(SendersRow.table(of: senders)) }
    return (tables.map(\.text) + [workloads.meanSpeedup].compactMap { $0 }).joined(separator: "\n\n")
  }

  /// Returns the report as JSON.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// The broken promises, empty if there are none.
  package var failures: [Failure] {
    workloads.flatMap(\.failures) + CrowdRow.failures(of: crowds) + JunctionRow.failures(of: junctions)
      + SendersRow.failures(of: senders)
  }
}
