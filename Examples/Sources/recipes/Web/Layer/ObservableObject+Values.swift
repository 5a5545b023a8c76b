import Combine
import Foundation

extension ObservableObject {

  /// A property of this object, stored or computed: its value now, and whenever it is another after a change.
  ///
  /// `objectWillChange` comes before the change, so the property is read a turn of the main queue later. A subscription
  /// keeps the object.
  func values<Value: Equatable>(of property: KeyPath<Self, Value>) -> some Publisher<Value, Never> {
    objectWillChange
      .receive(on: DispatchQueue.main)
      .map { _ in self[keyPath: property] }
      .prepend(self[keyPath: property])
      .removeDuplicates()
  }
}
