import FlyingFox
import FlyingSocks
import Foundation

/// An HTTP server in this process for the recipes, on 127.0.0.1 and a port that the system chooses.
///
/// | route | answer |
/// |---|---|
/// | `/users/ID` | a ``User`` in JSON; 404 if there is none |
/// | `/malformed` | a body that breaks off in the middle of its JSON |
/// | `/status/CODE` | that status |
/// | `/flaky/NAME?failures=N` | 503 to the first N requests for that name, then a user |
/// | `/slow/MILLISECONDS` | a user, after that time |
/// | `/search?name=TEXT` | the names that start with the text, in JSON; slow for one letter, fast for more |
/// | `/steps/NAME?milliseconds=N` | the name, after N ms of work, or 50 |
/// | `/directory?name=TEXT&failing=BOOL` | people whose name starts with the text, in JSON, faster for longer texts; or 503 |
/// | `/portraits/ID` | the picture of a person, in SVG |
/// | `/answers/NAME` | the number of the answer for that name, after 300 ms |
/// | `/limited/NAME?requests=N&milliseconds=M` | 200, or 429 to a request that is more than the N-th within M ms |
/// | `/hang` | none |
struct Server: Sendable {

  /// The address on which the server listens.
  let address: URL

  /// An address on which no server listens, so that connections are refused.
  let refusingAddress: URL

  /// The socket that reserves the port of `refusingAddress`.
  private let refusingSocket: Socket

  /// The log of the requests.
  let journal: Journal

  /// Returns the URL of a route.
  ///
  /// - Parameters:
  ///   - path: The route, with a query if it accepts one.
  func url(_ path: String) -> URL {
    URL(string: path, relativeTo: address)!.absoluteURL
  }

  /// Returns the number of requests to a path, without their queries.
  func hits(_ path: String) -> Int {
    journal.hits(path)
  }

  /// Returns the number of answered requests to a path.
  func answers(_ path: String) -> Int {
    journal.answers(path)
  }

  /// Returns the times at which the latest requests to a path arrived, in order.
  func arrivals(_ path: String) -> [ContinuousClock.Instant] {
    journal.arrivals(path)
  }

  /// Returns the largest number of requests to a path that arrived within an interval, wherever it begins.
  func mostArrivals(_ path: String, within interval: Duration) -> Int {
    (1...max(1, hits(path))).map { journal.arrivals(path, within: interval, until: $0) }.max() ?? 0
  }

  /// The largest number of steps that were in progress at the same time.
  var mostStepsAtOnce: Int {
    journal.mostAtOnce("steps")
  }

  // MARK: Start

  /// Starts the server, which runs until the process ends.
  static func start() throws -> Server {
    let journal = Journal()
    let address = try listen(routes(journal))

    // The socket is bound, which reserves the port, but does not listen.
    let refusing = try Socket(domain: AF_INET)
    try refusing.bind(to: try .inet(ip4: "127.0.0.1", port: 0))

    return Server(
      address: address,
      refusingAddress: try url(of: refusing.sockname()),
      refusingSocket: refusing,
      journal: journal
    )
  }

  /// Whether a server can listen on a port now.
  static func isFree(_ port: UInt16) -> Bool {
    guard let socket = try? Socket(domain: AF_INET) else { return false }
    defer { try? socket.close() }
    // As the server does, so that a port whose last server has just ended counts as free.
    try? socket.setValue(true, for: .localAddressReuse)
    guard let address = try? sockaddr_in.inet(ip4: "127.0.0.1", port: port) else { return false }
    return (try? socket.bind(to: address)) != nil
  }

  /// Answers requests on 127.0.0.1 until the process ends.
  ///
  /// - Parameters:
  ///   - handler: The handler of the requests.
  ///   - port: The port; zero for one that the system chooses.
  /// - Returns: The address on which it listens from now on.
  static func listen(_ handler: some HTTPHandler, port: UInt16 = 0) throws -> URL {
    let started = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Task {
      do {
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled, handler: handler)
        Task { try await server.run() }
        try await server.waitUntilListening()
        outcome.value = .success(try url(of: await server.listeningAddress))
      } catch {
        outcome.value = .failure(error)
      }
      started.signal()
    }
    started.wait()
    return try outcome.value.get()
  }

  /// Written once before the semaphore is signalled, and read once after the wait, which orders the two.
  private final class Outcome: @unchecked Sendable {
    var value: Result<URL, any Error> = .failure(SocketError.disconnected)
  }

  private static func url(of address: Socket.Address?) throws -> URL {
    guard case .ip4(let host, let port) = address, let url = URL(string: "http://\(host):\(port)/") else {
      throw SocketError.unsupportedAddress
    }
    return url
  }

  // MARK: Routes

  private static let users = [
    User(id: 1, name: "Ada Lovelace", language: "Notes"),
    User(id: 2, name: "Adele Goldberg", language: "Smalltalk"),
    User(id: 3, name: "Grace Hopper", language: "COBOL"),
    User(id: 4, name: "Barbara Liskov", language: "CLU"),
  ]

  private static let people: [Person] =
    [
      "Ada Lovelace", "Adele Goldberg", "Barbara Liskov", "Erich Hecke", "Grace Hopper", "Hedy Lamarr",
      "Henrietta Swan Leavitt", "Hertha Ayrton", "Bobby <b>Tables</b> <script>document.title = \"owned\"</script>",
    ]
    .enumerated().map { Person(id: $0 + 1, name: $1) }

  /// The number of the current request among those of its path, from 1.
  @TaskLocal private static var ordinal = 0

  /// Returns a handler that answers the requests and records each of them in a journal.
  static func routes(_ journal: Journal) -> some HTTPHandler {
    var routes = RoutedHTTPHandler()

    routes.appendRoute("GET /users/:id") { (id: Int) in
      guard let user = users.first(where: { $0.id == id }) else { return HTTPResponse(statusCode: .notFound) }
      return try json(user)
    }
    routes.appendRoute("GET /malformed") { _ in
      HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: Data(#"{"id": 1, "na"#.utf8))
    }
    routes.appendRoute("GET /status/:code") { (code: Int) in
      HTTPResponse(statusCode: HTTPStatusCode(code, phrase: "As Asked"))
    }
    routes.appendRoute("GET /flaky/*") { request in
      let failures = request.query["failures"].flatMap(Int.init) ?? 0
      guard ordinal > failures else { return HTTPResponse(statusCode: .serviceUnavailable) }
      return try json(users[0])
    }
    routes.appendRoute("GET /slow/:milliseconds") { (milliseconds: Int) in
      try await Task.sleep(for: .milliseconds(milliseconds))
      return try json(users[0])
    }
    routes.appendRoute("GET /search") { request in
      let start = (request.query["name"] ?? "").lowercased()
      if start.count == 1 { try await Task.sleep(for: .milliseconds(300)) }
      return try json(users.map(\.name).filter { $0.lowercased().hasPrefix(start) })
    }
    routes.appendRoute("GET /steps/:name") { (request: HTTPRequest, name: String) in
      journal.begin("steps")
      defer { journal.end("steps") }
      try await Task.sleep(for: .milliseconds(request.query["milliseconds"].flatMap(Int.init) ?? 50))
      return HTTPResponse(statusCode: .ok, body: Data(name.utf8))
    }
    routes.appendRoute("GET /directory") { request in
      guard request.query["failing"] != "true" else { return HTTPResponse(statusCode: .serviceUnavailable) }
      let start = (request.query["name"] ?? "").lowercased()
      try await Task.sleep(for: .milliseconds(start.count < 3 ? 900 : 150))
      return try json(people.filter { $0.isNamed(start) })
    }
    routes.appendRoute("GET /portraits/:id") { (id: Int) in
      guard let person = people.first(where: { $0.id == id }) else { return HTTPResponse(statusCode: .notFound) }
      try await Task.sleep(for: .milliseconds(80))
      return HTTPResponse(
        statusCode: .ok,
        headers: [.contentType: "image/svg+xml"],
        body: Data(person.portrait.utf8)
      )
    }
    routes.appendRoute("GET /answers/*") { _ in
      try await Task.sleep(for: .milliseconds(300))
      return HTTPResponse(statusCode: .ok, body: Data("answer \(ordinal)".utf8))
    }
    routes.appendRoute("GET /limited/*") { request in
      let limit = request.query["requests"].flatMap(Int.init) ?? 1
      let interval = Duration.milliseconds(request.query["milliseconds"].flatMap(Int.init) ?? 1000)
      let arrivals = journal.arrivals(request.path, within: interval, until: ordinal)
      return HTTPResponse(statusCode: arrivals > limit ? .tooManyRequests : .ok)
    }
    routes.appendRoute("GET /hang") { _ in
      try await Task.sleep(for: .seconds(3600))
      return HTTPResponse(statusCode: .ok)
    }
    return Counting(handler: routes, journal: journal)
  }

  private static func json(_ value: some Encodable) throws -> HTTPResponse {
    HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: try JSONEncoder().encode(value))
  }

  /// A handler that counts each request by its path, before and after it is answered.
  private struct Counting<Handler: HTTPHandler>: HTTPHandler {
    let handler: Handler
    let journal: Journal

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
      let ordinal = journal.arrive(request.path, target: request.target.rawValue)
      defer { journal.leave(request.path) }
      return try await Server.$ordinal.withValue(ordinal) { try await handler.handleRequest(request) }
    }
  }
}
