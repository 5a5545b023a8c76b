import Combine
import Foundation

/// A person in the server's directory.
struct Person: Codable, Equatable, Identifiable {
  var id: Int
  var name: String
}

extension Person {

  /// Returns whether the name, or one of its words, starts with a text.
  func isNamed(_ start: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix(start) || name.split(separator: " ").contains { $0.hasPrefix(start) }
  }

  /// A picture in SVG: the first letter on a coloured disk.
  var portrait: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
    <circle cx="50" cy="50" r="50" fill="hsl(\(id * 67 % 360) 55% 45%)"/>
    <text x="50" y="68" font-size="52" font-family="sans-serif" fill="#fff" text-anchor="middle">\(name.prefix(1))</text>
    </svg>
    """
  }
}

/// A client of the server's directory of people.
struct Directory {

  /// A closure that returns the URL of a route of the server.
  let url: (String) -> URL

  enum Failure: Error, Equatable {
    case status(Int)
    case unreadable
    case network(URLError.Code)
  }

  /// Returns a publisher of the people whose name starts with a text.
  ///
  /// - Parameter failing: Whether the request asks the server to fail.
  func people(named start: String, failing: Bool = false) -> some Publisher<[Person], Failure> {
    var components = URLComponents(url: url("directory"), resolvingAgainstBaseURL: false)!
    components.queryItems = [
      URLQueryItem(name: "name", value: start),
      URLQueryItem(name: "failing", value: "\(failing)"),
    ]
    return data(from: components.url!)
      .decode(type: [Person].self, decoder: JSONDecoder())
      .mapError { $0 as? Failure ?? .unreadable }
  }

  /// Returns a publisher of the picture of a person, in SVG.
  func portrait(of person: Person) -> some Publisher<Data, Failure> {
    data(from: url("portraits/\(person.id)"))
  }

  private func data(from url: URL) -> some Publisher<Data, Failure> {
    URLSession.shared.dataTaskPublisher(for: url)
      .mapError { Failure.network($0.code) }
      .flatMap { data, response in
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return (status == 200 ? Result.success(data) : .failure(Failure.status(status))).publisher
      }
  }
}
