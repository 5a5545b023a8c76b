import Testing

/// Checks the description and the mirror of an object between publishers and subscribers.
///
/// - Parameters:
///   - object: A subscription or a subscriber.
///   - description: The expected description, also in a playground.
///   - children: The labels of its mirror's children.
public func expectReflection(
  of object: Any,
  description: String,
  children: [String?] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(String(describing: object) == description, sourceLocation: sourceLocation)
  #expect(object is any CustomStringConvertible, sourceLocation: sourceLocation)
  #expect(!(object is any CustomDebugStringConvertible), sourceLocation: sourceLocation)
  #expect(object is any CustomReflectable, sourceLocation: sourceLocation)
  let playground = (object as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription as? String
  #expect(playground == description, sourceLocation: sourceLocation)
  let mirror = Mirror(reflecting: object)
  #expect(ObjectIdentifier(mirror.subjectType) == ObjectIdentifier(type(of: object)), sourceLocation: sourceLocation)
  #expect(mirror.displayStyle == nil, sourceLocation: sourceLocation)
  #expect(mirror.children.map(\.label) == children, sourceLocation: sourceLocation)
}

/// Returns the child of an object's mirror with a label.
public func reflectedChild(_ label: String, of object: Any) -> Any? {
  Mirror(reflecting: object).children.first { $0.label == label }?.value
}
