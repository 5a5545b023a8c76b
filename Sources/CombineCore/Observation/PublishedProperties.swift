import CombineThreads
import Synchronization

/// The ``Published`` properties that the objects of one class store, including those of its superclasses.
///
/// They are found once for each class, by offset and type in the metadata of the class. No other stored property is
/// ever read, because the object may guard it against other threads with its own lock. A mirror would copy all of them.
final class PublishedProperties {

  private struct Property {
    let offset: Int
    let type: any PublishedProperty.Type
  }

  private let properties: [Property]

  /// Whether the class has no published properties.
  var isEmpty: Bool { properties.isEmpty }

  private init(of type: AnyClass) {
    properties = (0..<storedPropertyCount(of: type)).compactMap { index in
      var description = StoredPropertyDescription()
      let propertyType = storedPropertyType(of: type, at: index, &description)
      description.freeName?(description.name)
      guard let propertyType = propertyType as? any PublishedProperty.Type else { return nil }
      return Property(offset: storedPropertyOffset(of: type, at: index), type: propertyType)
    }
  }

  /// Returns the one publisher to which all published properties of an object announce their changes.
  ///
  /// - Parameter object: An object of the class.
  /// - Returns: The publisher, or `nil` if not all of the properties have one.
  func announcement(of object: AnyObject) -> ObservableObjectPublisher? {
    var publisher: ObservableObjectPublisher?
    for property in properties {
      guard let next = property.type.publisher(in: object, at: property.offset) else { return nil }
      if publisher == nil { publisher = next }
    }
    return publisher
  }

  /// Returns the published properties of an object.
  ///
  /// - Parameter object: An object of the class.
  func values(of object: AnyObject) -> [any PublishedProperty] {
    properties.map { $0.type.read(from: object, at: $0.offset) }
  }
}

// The state is constant after `init`.
extension PublishedProperties: @unchecked Sendable {}

extension PublishedProperty {

  /// Returns a copy of a property that an object stores. The copy shares the value and the subscribers with it.
  fileprivate static func read(from object: AnyObject, at offset: Int) -> any PublishedProperty {
    withExtendedLifetime(object) { pointer(into: object, at: offset).pointee }
  }

  /// Returns the publisher to which a property announces its changes, without a copy of the property.
  fileprivate static func publisher(in object: AnyObject, at offset: Int) -> ObservableObjectPublisher? {
    withExtendedLifetime(object) { pointer(into: object, at: offset).pointee.objectWillChange }
  }

  private static func pointer(into object: AnyObject, at offset: Int) -> UnsafePointer<Self> {
    // The memory is initialized as long as the object is, and holds a property of this type, according to the class's
    // metadata.
    (UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) + offset).assumingMemoryBound(to: Self.self)
  }
}

// MARK: One for each class

extension PublishedProperties {

  /// Returns the published properties of a class, which exist forever: no access retains them.
  static func of(_ type: AnyClass) -> Unmanaged<PublishedProperties> {
    all.find(ObjectIdentifier(type)) ?? all.add(PublishedProperties(of: type), for: ObjectIdentifier(type))
  }

  private static let all = All()

  /// Returns the slot at which the search for a key begins.
  ///
  /// It is the highest bits of the product, on which all bits of the key have an effect. Metadata are aligned, some of them
  /// widely, so the lowest bits of their addresses are all alike.
  ///
  /// - Parameters:
  ///   - key: The address of the metadata.
  ///   - shift: 64 minus the number of bits of a slot's index.
  static func firstSlot(of key: UInt, shift: UInt64) -> Int {
    // In 64 bits where an address has 32, too.
    let product = UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product &>> shift)
  }

  /// A hash table that is read without a lock. Nothing is ever removed, because classes are never deallocated.
  fileprivate final class All {

    /// The slots of a table with open addressing, some of which are free.
    fileprivate final class Slots {

      let keys: UnsafeMutablePointer<Atomic<UInt>>
      let values: UnsafeMutablePointer<Unmanaged<PublishedProperties>?>
      let mask: Int
      let shift: UInt64

      /// - Parameter capacity: The number of slots, a power of two.
      init(capacity: Int) {
        mask = capacity - 1
        shift = UInt64(64 - capacity.trailingZeroBitCount)
        keys = .allocate(capacity: capacity)
        values = .allocate(capacity: capacity)
        for index in 0..<capacity {
          (keys + index).initialize(to: Atomic(0))
          (values + index).initialize(to: nil)
        }
      }

      deinit {
        keys.deinitialize(count: mask + 1).deallocate()
        values.deinitialize(count: mask + 1).deallocate()
      }

      /// Returns the slot of a key, or the free slot that it would be inserted into.
      func slot(of key: UInt) -> (index: Int, isFree: Bool) {
        var index = PublishedProperties.firstSlot(of: key, shift: shift)
        while true {
          let present = keys[index].load(ordering: .acquiring)
          if present == key { return (index, false) }
          if present == 0 { return (index, true) }
          index = (index + 1) & mask
        }
      }

      func insert(_ value: Unmanaged<PublishedProperties>, for key: UInt) {
        let (index, isFree) = slot(of: key)
        guard isFree else { return }
        values[index] = value
        keys[index].store(key, ordering: .releasing)  // A reader that sees the key sees the value.
      }
    }

    /// The current slots, as an unretained reference.
    private let published: Atomic<UInt>

    private let lock = Lock()

    /// All slots that have existed, the current ones last.
    ///
    /// A reader may still use old ones. Each table is twice as large as the one before, so all old ones together take
    /// no more memory than the current one.
    @exclusivity(unchecked)  // These two: only with the lock held.
    private var generations: [Slots]

    @exclusivity(unchecked)
    private var count = 0

    init() {
      let slots = Slots(capacity: 64)
      generations = [slots]
      published = Atomic(Self.address(of: slots))
    }

    private static func address(of slots: Slots) -> UInt {
      UInt(bitPattern: Unmanaged.passUnretained(slots).toOpaque())
    }

    func find(_ type: ObjectIdentifier) -> Unmanaged<PublishedProperties>? {
      let address = published.load(ordering: .acquiring)
      // The object is alive, because no generation is ever released.
      return Unmanaged<Slots>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
        ._withUnsafeGuaranteedRef { slots in
          let (index, isFree) = slots.slot(of: UInt(bitPattern: type))
          return isFree ? nil : slots.values[index]
        }
    }

    /// Adds the properties of a class, unless another thread has added them first.
    func add(_ properties: PublishedProperties, for type: ObjectIdentifier) -> Unmanaged<PublishedProperties> {
      let key = UInt(bitPattern: type)
      return lock.withLock {
        var slots = generations[generations.count - 1]
        let (index, isFree) = slots.slot(of: key)
        if !isFree { return slots.values[index].unsafelyUnwrapped }
        count += 1
        if count * 2 > slots.mask { slots = grow(slots) }
        let properties = Unmanaged.passRetained(properties)
        slots.insert(properties, for: key)
        return properties
      }
    }

    /// Publishes slots of twice the size. The caller holds the lock.
    private func grow(_ old: Slots) -> Slots {
      let new = Slots(capacity: (old.mask + 1) * 2)
      for index in 0...old.mask {
        guard let value = old.values[index] else { continue }
        new.insert(value, for: old.keys[index].load(ordering: .relaxed))
      }
      generations.append(new)
      published.store(Self.address(of: new), ordering: .releasing)
      return new
    }
  }
}

// The mutable state is atomic, or is written with the lock held before an atomic publishes it.
extension PublishedProperties.All: @unchecked Sendable {}

// MARK: The runtime's functions, by which mirrors and key paths are made

/// The runtime's description of a stored property, in the layout that its functions expect.
private struct StoredPropertyDescription {
  var name: UnsafePointer<CChar>?
  var freeName: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

/// Returns the number of stored properties, including those of superclasses.
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func storedPropertyCount(of type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func storedPropertyType(
  of type: Any.Type,
  at index: Int,
  _ description: UnsafeMutablePointer<StoredPropertyDescription>
) -> Any.Type

/// Returns the offset from the beginning of the object.
@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func storedPropertyOffset(of type: Any.Type, at index: Int) -> Int
