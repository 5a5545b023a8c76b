import CombineThreads

/// A protocol for objects that announce their changes.
///
/// An object that does not declare `objectWillChange` itself receives a default one. It announces each change of the
/// object's ``Published`` properties before the change happens.
///
/// ```swift
/// final class Contact: ObservableObject {
///   @Published var name = ""
/// }
/// let contact = Contact()
/// let cancellable = contact.objectWillChange.sink { print("will change") }
/// contact.name = "Ada"  // prints will change
/// ```
public protocol ObservableObject: AnyObject {

  /// The type of the publisher that announces changes.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// A publisher that announces each change of the object before it happens.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {

  /// A publisher that emits before any ``Published`` property of the object changes.
  ///
  /// Each access returns the same publisher.
  ///
  /// The properties announce their changes from the first access on. No other stored property of the object is read.
  ///
  /// The publisher of an object with published properties is released with the object. An object without published
  /// properties cannot store a publisher. Its publisher exists while it has subscribers or is referenced elsewhere, and
  /// each access returns the same one meanwhile. A publisher with subscribers outlives the object. It is released when
  /// they are cancelled, or after some later accesses to such publishers.
  ///
  /// - Complexity: O(*n*) for *n* published properties.
  public var objectWillChange: ObservableObjectPublisher {
    PublishedProperties.of(type(of: self))._withUnsafeGuaranteedRef { properties in
      if properties.isEmpty { return PublisherRegistry.shared.publisher(for: self) }
      return properties.announcement(of: self) ?? PublisherRegistry.shared.install(in: properties.values(of: self))
    }
  }
}

/// The registry that creates the one publisher of each observable object.
private final class PublisherRegistry {

  static let shared = PublisherRegistry()

  private let lock = Lock()

  /// The publishers of objects without published properties, which cannot store a publisher.
  @exclusivity(unchecked)  // These three: only with the lock held.
  private var entries: [Entry] = []

  /// The index of each object's entry.
  @exclusivity(unchecked)
  private var indices: [ObjectIdentifier: Int] = [:]

  /// The index of the entry that the next sweep begins with.
  @exclusivity(unchecked)
  private var cursor = 0

  /// An entry keeps neither object nor publisher alive.
  ///
  /// The publisher lives while it has subscribers or is referenced elsewhere.
  private struct Entry {
    let id: ObjectIdentifier
    weak var object: AnyObject?
    weak var publisher: ObservableObjectPublisher?
  }

  /// Installs one publisher in all properties of an object: the existing one, or a new one.
  func install(in properties: [any PublishedProperty]) -> ObservableObjectPublisher {
    lock.withLock {
      let publisher = properties.lazy.compactMap(\.objectWillChange).first ?? ObservableObjectPublisher()
      for property in properties where property.objectWillChange == nil {
        property.announceChanges(to: publisher)
      }
      return publisher
    }
  }

  /// Returns the publisher of an object without published properties.
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
    // Outside the lock, because the objects that the sweep has loaded are released here, and their deinitializers may
    // call back.
    for orphan in looked.orphans { orphan.releaseFromSubscriptions() }
    return publisher
  }

  /// The objects that a sweep has loaded. The sweep may hold the last reference to them.
  private struct Looked {

    /// The publishers of deallocated objects, which their subscriptions must release.
    var orphans: [ObservableObjectPublisher] = []

    var living: [AnyObject] = []
  }

  /// Examines two entries and removes those that are obsolete: of deallocated objects, and without a publisher.
  ///
  /// An obsolete entry is removed after at most half as many accesses as there are entries. Each access takes O(1).
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

// A lock guards the state.
extension PublisherRegistry: @unchecked Sendable {}
