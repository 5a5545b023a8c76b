/// A protocol for objects that announce their changes.
///
/// An object that does not declare `objectWillChange` itself gets one that announces, before it happens, each change
/// of its ``Published`` properties.
///
/// ```swift
/// final class Contact: ObservableObject {
///   @Published var name = ""
/// }
/// let contact = Contact()
/// let cancellable = contact.objectWillChange.sink { print("will change") }
/// contact.name = "Ada"  // prints "will change"
/// ```
public protocol ObservableObject: AnyObject {

  /// The kind of publisher that announces changes.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// A publisher that sends before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {

  /// A publisher that sends before any ``Published`` property of the object changes: the same at each access.
  ///
  /// Properties announce their changes once this has been read for the first time.
  ///
  /// - Complexity: O(*n*) for *n* stored properties, through reflection.
  public var objectWillChange: ObservableObjectPublisher {
    let properties = publishedProperties(of: self)
    guard !properties.isEmpty else { return PublisherRegistry.shared.publisher(for: self) }
    return PublisherRegistry.shared.install(in: properties)
  }
}

/// The published properties that an object stores, in its class and all superclasses.
private func publishedProperties(of object: AnyObject) -> [any PublishedProperty] {
  var properties: [any PublishedProperty] = []
  forEachStoredProperty(of: object) {
    if let property = $0 as? any PublishedProperty { properties.append(property) }
  }
  return properties
}

/// Makes the one publisher of each observable object.
private final class PublisherRegistry {

  static let shared = PublisherRegistry()

  private let lock = Lock()

  /// The publishers of objects without published properties, which have no other place for one.
  @exclusivity(unchecked)  // These two: only with the lock held.
  private var entries: [ObjectIdentifier: Entry] = [:]

  /// The number of entries at which those of dead objects are removed.
  @exclusivity(unchecked)
  private var tidyCount = 16

  private struct Entry {
    weak var object: AnyObject?
    var publisher: ObservableObjectPublisher
  }

  /// Puts one publisher into all properties of an object: the one that is there, or a new one.
  func install(in properties: [any PublishedProperty]) -> ObservableObjectPublisher {
    lock.withLock {
      let publisher = properties.lazy.compactMap(\.objectWillChange).first ?? ObservableObjectPublisher()
      for property in properties where property.objectWillChange == nil {
        property.announceChanges(to: publisher)
      }
      return publisher
    }
  }

  /// The publisher of an object without published properties.
  func publisher(for object: AnyObject) -> ObservableObjectPublisher {
    let (publisher, released) = lock.withLock {
      let key = ObjectIdentifier(object)
      // An entry whose object is gone belongs to an earlier object at the same address.
      if let entry = entries[key], entry.object === object { return (entry.publisher, [AnyObject]()) }
      let publisher = ObservableObjectPublisher()
      var released: [AnyObject] = []
      if let dead = entries.updateValue(Entry(object: object, publisher: publisher), forKey: key) {
        released.append(dead.publisher)
      }
      if entries.count >= tidyCount { released += removeDead() }
      return (publisher, released)
    }
    _ = released  // Released with the lock free: deinitialisers may call back.
    return publisher
  }

  /// Removes the entries of dead objects.
  ///
  /// - Returns: What is to be released once the lock is free: the publishers of the dead, and the living, as this may
  ///   have become the last reference to one of them.
  private func removeDead() -> [AnyObject] {
    var released: [AnyObject] = []
    for (key, entry) in entries {
      if let object = entry.object {
        released.append(object)
      } else {
        released.append(entry.publisher)
        entries[key] = nil
      }
    }
    tidyCount = max(16, entries.count * 2)
    return released
  }
}

// Its state is behind the lock.
extension PublisherRegistry: @unchecked Sendable {}
