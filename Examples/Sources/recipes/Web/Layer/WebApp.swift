import FlyingFox
import Foundation

/// A server of pages to browsers on this machine, with a ``Page`` for each tab that shows one.
///
/// | route | answer |
/// |---|---|
/// | `/NAME` | the page of that name; `/` redirects to the first |
/// | `/NAME/socket` | the WebSocket between a tab and its ``Page`` |
/// | `/page.css`, `/page.js` | the files that all pages share |
/// | `/log` | the ``Journal`` in JSON: the requests of the models, the open tabs, the live subscriptions of stages |
struct WebApp: Sendable {

  /// A kind of page.
  struct Definition: Sendable {

    /// The name of the page's path and of its HTML file in `Public`.
    let name: String

    let title: String

    /// The source files that are shown next to the page.
    let sources: [URL]

    /// The stages of its pipelines, in the order in which they are drawn.
    let stages: [String]

    /// A closure that creates the models of a tab and connects them to it.
    let open: @MainActor @Sendable (Page) -> Void
  }

  let definitions: [Definition]

  let journal: Journal

  var routes: some HTTPHandler {
    var routes = RoutedHTTPHandler()
    routes.appendRoute("GET /", to: .redirect(to: "/\(definitions[0].name)"))
    routes.appendRoute("GET /page.css") { _ in try response("page.css", type: "text/css") }
    routes.appendRoute("GET /page.js") { _ in try response("page.js", type: "text/javascript") }
    routes.appendRoute("GET /log") { _ in
      HTTPResponse(
        statusCode: .ok,
        headers: [.contentType: "application/json"],
        body: try JSONEncoder().encode(journal.snapshot)
      )
    }
    for definition in definitions {
      routes.appendRoute(HTTPRoute("GET /\(definition.name)")) { _ in try html(of: definition) }
      let socket: WebSocketHTTPHandler = .webSocket(PageSocket(definition: definition, journal: journal))
      routes.appendRoute(HTTPRoute("GET /\(definition.name)/socket")) { request in
        // A page of another site must not access a server of this machine.
        guard let host = request.headers[.host], request.headers[HTTPHeader("Origin")] == "http://\(host)" else {
          return HTTPResponse(statusCode: .forbidden)
        }
        return try await socket.handleRequest(request)
      }
    }
    return routes
  }

  // MARK: Files, read at each request

  private func response(_ file: String, type: String) throws -> HTTPResponse {
    HTTPResponse(
      statusCode: .ok,
      headers: [.contentType: "\(type); charset=utf-8"],
      body: Data(try contents(file).utf8)
    )
  }

  private func contents(_ file: String) throws -> String {
    try String(contentsOf: Bundle.module.resourceURL!.appending(path: "Public/\(file)"), encoding: .utf8)
  }

  private func html(of definition: Definition) throws -> HTTPResponse {
    let navigation = definitions.map { other in
      let current = other.name == definition.name ? " aria-current=\"page\"" : ""
      return "<a href=\"/\(other.name)\"\(current)>\(other.title)</a>"
    }
    let page = [
      "title": definition.title,
      "navigation": navigation.joined(separator: "\n    "),
      "content": try contents("\(definition.name).html"),
      "stages": definition.stages.map { stage in
        "<div data-stage=\"\(stage)\"><span class=\"stage\">\(stage)</span><span class=\"strip\"></span></div>"
      }.joined(separator: "\n"),
      "sources": try definition.sources.map { file in
        let source = try String(contentsOf: file, encoding: .utf8).escapedForHTML
        return "<h2>\(file.lastPathComponent)</h2>\n<pre><code>\(source)</code></pre>"
      }.joined(separator: "\n"),
    ]
    // One pass, because a placeholder within a source file is ordinary text.
    let shell = try contents("shell.html").replacing(/\{\{(\w+)\}\}/) { page[String($0.1)] ?? String($0.0) }
    return HTTPResponse(
      statusCode: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8",
        HTTPHeader("Content-Security-Policy"): "default-src 'self'; img-src 'self' data:",
      ],
      body: Data(shell.utf8)
    )
  }
}

extension String {
  fileprivate var escapedForHTML: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
