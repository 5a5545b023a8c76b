import Foundation
import OpenCombineFoundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A protocol that answers each request with the path of its URL. The path `/refused` fails.
private final class EchoProtocol: URLProtocol {

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "echo" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url, url.path != "/refused" else {
      client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
      return
    }
    let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data(((request.httpMethod ?? "") + url.path).utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

@Suite struct URLSessionTests {

  private let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [EchoProtocol.self]
    return URLSession(configuration: configuration)
  }()

  /// The text that a publisher sends, or the code of its error.
  private func outcome(of publisher: URLSession.OCombine.DataTaskPublisher) async -> Result<String, URLError> {
    await withCheckedContinuation { continuation in
      publisher
        .map { String(decoding: $0.data, as: UTF8.self) }
        .map(Result.success)
        .catch { Just(Result.failure($0)) }
        .first()
        .subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { continuation.resume(returning: $0) }))
    }
  }

  @Test func requestsAURL() async throws {
    let url = try #require(URL(string: "echo://host/path"))
    #expect(try await outcome(of: session.ocombine.dataTaskPublisher(for: url)).get() == "GET/path")
  }

  @Test func performsARequest() async throws {
    var request = URLRequest(url: try #require(URL(string: "echo://host/path")))
    request.httpMethod = "PUT"
    #expect(try await outcome(of: session.ocombine.dataTaskPublisher(for: request)).get() == "PUT/path")
    #expect(try await outcome(of: .init(request: request, session: session)).get() == "PUT/path")
  }

  @Test func failsWithTheErrorOfTheTask() async throws {
    let url = try #require(URL(string: "echo://host/refused"))
    let outcome = await outcome(of: URLSession.OCombine(session).dataTaskPublisher(for: url))
    #expect(throws: URLError(.cannotConnectToHost)) { try outcome.get() }
  }

  @Test func thePublisherKnowsRequestAndSession() throws {
    let url = try #require(URL(string: "echo://host/path"))
    let publisher: URLSession.DataTaskPublisher = session.ocombine.dataTaskPublisher(for: url)
    #expect(publisher.request == URLRequest(url: url))
    #expect(publisher.session === session)
    #expect(session.ocombine.session === session)
  }
}
