/// A promise that is broken.
package struct Failure: CustomStringConvertible, Equatable, Sendable {

  package let part: Part
  package let reason: String

  package init(_ part: Part, _ reason: String) {
    self.part = part
    self.reason = reason
  }

  package var description: String { "\(part.rawValue): \(reason)" }
}
