/// The server's data of a person.
struct User: Codable, Equatable {
  var id: Int
  var name: String
  var language: String
}
