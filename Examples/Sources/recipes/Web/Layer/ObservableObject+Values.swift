import Combine
import Foundation

extension ObservableObject {

  /// Returns a publisher of a stored or computed property of this object: its current value, and each new value after a
  /// change.
  ///
  /// `objectWillChange` is sent before the change, so the property is read one turn of the main queue later. A
  /// subscription keeps the object alive.
  func values<Value: Equatable>(of property: KeyPath<Self, Value>) -> some Publisher<Value, Never> {
    objectWillChange
      .receive(on: DispatchQueue.main)
      .map { _ in self[keyPath: property] }
      .prepend(self[keyPath: property])
      .removeDuplicates()
  }
}
