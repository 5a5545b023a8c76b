import FlyingFox
import Foundation
import Testing

@testable import recipes

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The folder with Perfetto's page.
private let perfettoPage = ProcessInfo.processInfo.environment["PERFETTO_UI"].map { URL(filePath: $0) }

extension InBrowser {

  /// Perfetto's page opens a trace of the inspector. `.ci/setup` gets the page, which works without a network, from PyPI.
  @Suite(.enabled(if: perfettoPage != nil)) struct Perfetto {

    @Test func itShowsEachStageWithItsValuesAndArrows() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        let (trace, _) = try await URLSession.shared.data(from: app.address.appending(path: "inspector/trace"))

        let address = try Self.serve(trace)
        try await browser.open(URL(string: "\(address)index.html#!/?url=\(address)trace.json")!)
        try await browser.wait(for: "the trace", within: .seconds(30)) {
          try await browser.execute("return Boolean(self.app?.trace?.engine)", returning: Bool.self)
        } until: {
          $0
        }
        let errors = "SELECT name AS text FROM stats WHERE severity = 'error' AND value > 0"
        #expect(try await Self.ask(errors, browser) == [])
        let tracks = try await Self.ask("SELECT name AS text FROM thread WHERE name LIKE 'typed %'", browser)
        #expect(tracks.count == 1)
        let values = try await Self.ask(
          """
          SELECT slice.name AS text FROM slice JOIN thread_track ON slice.track_id = thread_track.id
          JOIN thread USING (utid) WHERE thread.name LIKE 'typed %' AND slice.dur > 0 ORDER BY slice.ts
          """,
          browser
        )
        #expect(values.suffix(3) == ["a", "ad", "ada"])
        // Each value has caused another one downstream.
        let arrows = try await Self.ask(
          """
          SELECT DISTINCT source.id AS text FROM flow JOIN slice source ON flow.slice_out = source.id
          JOIN thread_track ON source.track_id = thread_track.id JOIN thread USING (utid)
          WHERE thread.name LIKE 'typed %'
          """,
          browser
        )
        #expect(arrows.count == values.count)
      }
    }

    /// Serves the page and a trace.
    private static func serve(_ trace: Data) throws -> URL {
      var routes = RoutedHTTPHandler()
      routes.appendRoute("GET /trace.json") { _ in
        HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: trace)
      }
      routes.appendRoute("GET /*", to: DirectoryHTTPHandler(root: perfettoPage!))
      return try Server.listen(routes)
    }

    /// Asks the page's database for texts.
    private static func ask(_ query: String, _ browser: Browser) async throws -> [String] {
      try await browser.execute(
        """
        return (async query => {
          const texts = [];
          const rows = (await self.app.trace.engine.query(`SELECT CAST(text AS TEXT) AS text FROM (${query})`))
            .iter({ text: "str" });
          for (; rows.valid(); rows.next()) texts.push(rows.text);
          return texts;
        })(arguments[0]);
        """,
        query
      )
    }
  }
}
