/// What the objects between publishers and subscribers show of themselves: a name, and a mirror with the few children
/// that Combine shows, or none. They never have a debug description of their own.
@usableFromInline
package protocol DescribedByName: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {

  /// The labelled children of the mirror.
  var reflectedChildren: KeyValuePairs<String, Any> { get }
}

extension DescribedByName {

  @usableFromInline
  package var playgroundDescription: Any { description }

  @usableFromInline
  package var customMirror: Mirror { Mirror(self, children: reflectedChildren) }

  @usableFromInline
  package var reflectedChildren: KeyValuePairs<String, Any> { [:] }
}
