/// Something that is asked for and not reached.
package struct Failure: CustomStringConvertible, Equatable, Sendable {

  package let part: Part
  package let reason: String

  package init(_ part: Part, _ reason: String) {
    self.part = part
    self.reason = reason
  }

  package var description: String { "\(part.rawValue): \(reason)" }
}
