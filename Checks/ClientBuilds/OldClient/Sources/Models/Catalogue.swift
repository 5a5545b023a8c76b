import Foundation
import OpenCombine
import OpenCombineFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service that searches a catalogue by requests.
public struct Catalogue {

  private let session: URLSession

  public init(session: URLSession) {
    self.session = session
  }

  /// Returns a publisher of the titles that match a query.
  public func titles(matching query: String) -> AnyPublisher<[String], Error> {
    var components = URLComponents(string: "catalogue://titles/search")!
    components.queryItems = [URLQueryItem(name: "query", value: query)]
    return session.ocombine
      .dataTaskPublisher(for: components.url!)
      .map { $0.data }
      .decode(type: [String].self, decoder: JSONDecoder())
      .eraseToAnyPublisher()
  }

  /// Returns a publisher of the answer to a request that adds a title.
  public func add(_ title: String) -> URLSession.OCombine.DataTaskPublisher {
    var request = URLRequest(url: URL(string: "catalogue://titles/")!)
    request.httpMethod = "POST"
    request.setValue(title, forHTTPHeaderField: "Title")
    return session.ocombine.dataTaskPublisher(for: request)
  }
}

/// A server within the process.
public final class CatalogueServer: URLProtocol {

  private static let titles = ["Swift in Depth", "Swift Concurrency", "Streams", "Monads"]

  public override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "catalogue" }
  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  public override func startLoading() {
    let query = URLComponents(url: request.url!, resolvingAgainstBaseURL: false)?.queryItems?.first?.value ?? ""
    guard query != "offline" else {
      client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
      return
    }
    let matching = Self.titles.filter { $0.lowercased().contains(query) }
    let isAddition = request.httpMethod == "POST"
    let text = isAddition ? "added " + (request.value(forHTTPHeaderField: "Title") ?? "nothing") : nil
    let body = text.map { Data($0.utf8) } ?? (try? JSONEncoder().encode(matching)) ?? Data()
    let response = URLResponse(
      url: request.url!,
      mimeType: "application/json",
      expectedContentLength: body.count,
      textEncodingName: nil
    )
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: body)
    client?.urlProtocolDidFinishLoading(self)
  }

  public override func stopLoading() {}

  /// A session whose requests this server answers.
  public static var session: URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [CatalogueServer.self]
    return URLSession(configuration: configuration)
  }
}
