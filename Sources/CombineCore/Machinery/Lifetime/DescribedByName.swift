/// An object between a publisher and a subscriber, as it shows itself: with a name, and a mirror with the children that
/// Combine shows. Such an object has no debug description.
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
