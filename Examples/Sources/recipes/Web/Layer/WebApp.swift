import FlyingFox
import Foundation

/// A server of pages to browsers on this machine, with a ``Page`` for each tab that shows one.
///
/// | route | answer |
/// |---|---|
/// | `/` | what there is: each page with what it shows |
/// | `/NAME` | the page of that name |
/// | `/NAME/socket` | the WebSocket between a tab and its ``Page`` |
/// | `/page.css`, `/page.js` | the files that all pages share |
/// | `/NAME.js` | the script of a ``Tool``, or of a page that draws |
/// | `/NAME/DATA` | what a ``Tool`` shows, in JSON; 400 and the reason if it throws ``BadRequest`` |
/// | `/log` | the ``Journal`` in JSON: the requests of the models, the open tabs, the live subscriptions of stages |
struct WebApp: Sendable {

  /// A kind of page.
  struct Definition: Sendable {

    /// The name of the page's path and of its HTML file in `Public`.
    let name: String

    let title: String

    /// What a person can try on the page, in a sentence or two.
    let summary: String

    /// The source files that are shown next to the page.
    let sources: [URL]

    /// The stages of its pipelines, in the order in which they are drawn.
    let stages: [String]

    /// Whether the page has a script in `Public` besides the common one, for what no element can show.
    var hasScript = false

    /// A closure that creates the models of a tab and connects them to it.
    let open: @MainActor @Sendable (Page) -> Void
  }

  /// A page about the library. Its script asks the server for what it shows, and has no ``Page``.
  struct Tool: Sendable {

    /// The name of the page's path, and of its HTML file and script in `Public`.
    let name: String

    let title: String

    /// What a person can see on the page, in a sentence or two.
    let summary: String

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
    routes.appendRoute("GET /") { _ in try landingPage() }
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
      if definition.hasScript {
        routes.appendRoute(HTTPRoute("GET /\(definition.name).js")) { _ in
          try response("\(definition.name).js", type: "text/javascript")
        }
      }
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
      let id = SwiftSource.id(of: stage)
      return
        "<div id=\"stage-\(id)\" data-stage=\"\(stage)\"><a class=\"stages-name\" href=\"#source-\(id)\">\(stage)</a>"
        + "<span class=\"stages-strip\"></span></div>"
    }
    let events = try contents("events.html").replacing("{{stages}}", with: stages.joined(separator: "\n"))
    let content = try contents("\(definition.name).html") + events
    let scripts = definition.hasScript ? ["page", definition.name] : ["page"]
    return try html(definition.name, definition.title, scripts: scripts, content, definition.sources, definition.stages)
  }

  private func html(of tool: Tool) throws -> HTTPResponse {
    try html(tool.name, tool.title, scripts: [tool.name], contents("\(tool.name).html"), tool.sources)
  }

  private var pages: [(name: String, title: String, summary: String)] {
    definitions.map { ($0.name, $0.title, $0.summary) } + tools.map { ($0.name, $0.title, $0.summary) }
  }

  /// The list of the pages.
  private func landingPage() throws -> HTTPResponse {
    let items = pages.map { name, title, summary in
      "<li><a href=\"/\(name)\">\(title)</a><p>\(summary)</p></li>"
    }
    let content = try contents("landing.html").replacing("{{pages}}", with: items.joined(separator: "\n"))
    return try html("landing", "Combine, live", scripts: [], content, [])
  }

  private func html(
    _ name: String,
    _ title: String,
    scripts: [String],
    _ content: String,
    _ sources: [URL],
    _ stages: [String] = []
  ) throws -> HTTPResponse {
    let navigation = pages.map { other, title, _ in
      let current = other == name ? " aria-current=\"page\"" : ""
      return "<a href=\"/\(other)\"\(current)>\(title)</a>"
    }
    let page = [
      "name": name,
      "title": title,
      "scripts": scripts.map { "<script src=\"/\($0).js\" defer></script>" }.joined(separator: "\n  "),
      "navigation": navigation.joined(separator: "\n    "),
      "content": content,
      "sources": sources.isEmpty
        ? ""
        : "<section id=\"sources\" aria-label=\"The source\" tabindex=\"0\">\n"
          + (try sources.map { file in
            let source = SwiftSource(text: try String(contentsOf: file, encoding: .utf8), stages: stages).html
            return "<h2>\(file.lastPathComponent)</h2>\n<pre><code>\(source)</code></pre>"
          }.joined(separator: "\n")) + "\n</section>",
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
