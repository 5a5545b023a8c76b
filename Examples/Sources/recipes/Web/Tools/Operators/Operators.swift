@_spi(Tools) import CombineInspection
import FlyingFox
import Foundation

extension WebApp.Tool {

  /// Operators to play with: a person places marbles on the lines of the inputs, and sees what the operator makes of them.
  ///
  /// Each change is a request with the whole case in its query, which is also the query of the page's address. The server
  /// runs the operator in virtual time. It keeps nothing.
  static let operators = Self(
    name: "operators",
    title: "Operators",
    summary: "Move marbles through about a hundred operators. Each case is a link, and a test to copy.",
    sources: [URL(filePath: #filePath)],
    data: [
      "table": { _ in
        Data(OperatorRow.table(words: { Guides.words[$0] ?? [] }, page: Guides.page).description.utf8)
      },
      "run": { request in
        // The page Inspector shows the pipelines of the other tabs, and follows everything.
        let run = try Inspection.ignoring { try OperatorRun(query: request.query.map { ($0.name, $0.value) }) }
        return Data(run.json.description.utf8)
      },
    ]
  )
}
