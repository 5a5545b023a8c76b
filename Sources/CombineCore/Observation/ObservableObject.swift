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
  /// Properties announce their changes once this has been read for the first time. No other stored property of the
  /// object is read.
  ///
  /// The publisher of an object with published properties is released with the object. An object without any has no
  /// place for one: its publisher exists while it has subscribers or is referred to, and is the same at each access
  /// meanwhile. If it has subscribers when the object is released, it is released when they are cancelled, or some
  /// accesses to such publishers later.
  ///
  /// - Complexity: O(*n*) for *n* published properties.
  public var objectWillChange: ObservableObjectPublisher {
    let properties = PublishedProperties.of(type(of: self))
    if properties.isEmpty { return PublisherRegistry.shared.publisher(for: self) }
    return properties.announcement(of: self) ?? PublisherRegistry.shared.install(in: properties.values(of: self))
  }
}

/// Makes the one publisher of each observable object.
private final class PublisherRegistry {

  static let shared = PublisherRegistry()

  private let lock = Lock()

  /// The publishers of objects without published properties, which have no other place for one.
  @exclusivity(unchecked)  // These three: only with the lock held.
  private var entries: [Entry] = []

  /// The index of each object's entry.
  @exclusivity(unchecked)
  private var indices: [ObjectIdentifier: Int] = [:]

  /// The index of the entry that is looked at next.
  @exclusivity(unchecked)
  private var cursor = 0

  /// Neither of the two is kept: the publisher lives while it has subscribers, or somebody refers to it.
  private struct Entry {
    let id: ObjectIdentifier
    weak var object: AnyObject?
    weak var publisher: ObservableObjectPublisher?
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
    var looked = Looked()
    let publisher = lock.withLock {
      sweep(&looked)
      let id = ObjectIdentifier(object)
      let index = indices[id]
      if let index, let publisher = entries[index].publisher {
        if entries[index].object === object { return publisher }
        // The entry belongs to an earlier object at the same address.
        looked.orphans.append(publisher)
      }
      let publisher = ObservableObjectPublisher(isKeptBySubscriptions: true)
      let entry = Entry(id: id, object: object, publisher: publisher)
      if let index {
        entries[index] = entry
      } else {
        indices[id] = entries.count
        entries.append(entry)
      }
      return publisher
    }
    // With the lock free, as what is looked at is released: deinitialisers may call back.
    for orphan in looked.orphans { orphan.releaseFromSubscriptions() }
    return publisher
  }

  /// What a sweep has looked at, which only somebody else may have referred to until then.
  private struct Looked {

    /// The publishers of dead objects, which their subscriptions are to release.
    var orphans: [ObservableObjectPublisher] = []

    var living: [AnyObject] = []
  }

  /// Looks at two entries, and removes those that nobody needs: of dead objects, and without a publisher. So the dead
  /// are gone after half as many accesses as there are entries, and each access takes O(1).
  private func sweep(_ looked: inout Looked) {
    for _ in 0..<2 where !entries.isEmpty {
      if cursor >= entries.count { cursor = 0 }
      let entry = entries[cursor]
      let object = entry.object
      let publisher = entry.publisher
      if let object { looked.living.append(object) }
      if let publisher {
        if object == nil { looked.orphans.append(publisher) } else { looked.living.append(publisher) }
      }
      if object != nil, publisher != nil {
        cursor += 1
        continue
      }
      indices[entry.id] = nil
      let last = entries.removeLast()
      if cursor < entries.count {
        entries[cursor] = last
        indices[last.id] = cursor
      }
    }
  }
}

// Its state is behind the lock.
extension PublisherRegistry: @unchecked Sendable {}
