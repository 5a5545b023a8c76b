import FlyingFox
import Foundation

/// A server of pages to browsers on this machine, with a ``Page`` for each tab that shows one.
///
/// | route | answer |
/// |---|---|
/// | `/NAME` | the page of that name; `/` redirects to the first |
/// | `/NAME/socket` | the WebSocket between a tab and its ``Page`` |
/// | `/page.css`, `/page.js` | the files that all pages share |
/// | `/NAME.js` | the script of a ``Tool`` |
/// | `/NAME/DATA` | what a ``Tool`` shows, in JSON; 400 and the reason if it throws ``BadRequest`` |
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

  /// A page about the library. Its script asks the server for what it shows, and has no ``Page``.
  struct Tool: Sendable {

    /// The name of the page's path, and of its HTML file and script in `Public`.
    let name: String

    let title: String

    /// The source files that are shown next to the page.
    let sources: [URL]

    /// What its script asks for, by the last part of the path.
    let data: [String: @Sendable (HTTPRequest) async throws -> Data]
  }

  let definitions: [Definition]

  let tools: [Tool]

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
    for tool in tools {
      routes.appendRoute(HTTPRoute("GET /\(tool.name)")) { _ in try html(of: tool) }
      routes.appendRoute(HTTPRoute("GET /\(tool.name).js")) { _ in
        try response("\(tool.name).js", type: "text/javascript")
      }
      for (name, data) in tool.data {
        routes.appendRoute(HTTPRoute("GET /\(tool.name)/\(name)")) { request in
          do {
            return HTTPResponse(
              statusCode: .ok,
              headers: [.contentType: "application/json"],
              body: try await data(request)
            )
          } catch let error as BadRequest {
            return HTTPResponse(
              statusCode: .badRequest,
              headers: [.contentType: "text/plain; charset=utf-8"],
              body: Data(error.reason.utf8)
            )
          }
        }
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
    let stages = definition.stages.map { stage in
      "<div data-stage=\"\(stage)\"><span class=\"stages-name\">\(stage)</span><span class=\"stages-strip\"></span></div>"
    }
    let content =
      try contents("\(definition.name).html") + "<h2>Events</h2>\n<div id=\"stages\" class=\"stages\">"
      + stages.joined(separator: "\n") + "</div>"
    return try html(definition.name, definition.title, script: "page", content, definition.sources)
  }

  private func html(of tool: Tool) throws -> HTTPResponse {
    try html(tool.name, tool.title, script: tool.name, contents("\(tool.name).html"), tool.sources)
  }

  private func html(
    _ name: String,
    _ title: String,
    script: String,
    _ content: String,
    _ sources: [URL]
  ) throws -> HTTPResponse {
    let links = definitions.map { ($0.name, $0.title) } + tools.map { ($0.name, $0.title) }
    let navigation = links.map { other, title in
      let current = other == name ? " aria-current=\"page\"" : ""
      return "<a href=\"/\(other)\"\(current)>\(title)</a>"
    }
    let page = [
      "name": name,
      "title": title,
      "script": script,
      "navigation": navigation.joined(separator: "\n    "),
      "content": content,
      "sources": try sources.map { file in
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

/// A request that cannot be served, with the reason.
struct BadRequest: Error, Equatable {

  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

extension String {
  fileprivate var escapedForHTML: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
