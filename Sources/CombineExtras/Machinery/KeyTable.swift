/// Values by key, in a table that calls no code of the key's type. The caller compares keys, with no lock held.
///
/// A dictionary cannot be searched with a lock held, because `==` and `hash(into:)` of a key are code of a user. Neither can
/// it be searched without one: that code may add to the same dictionary. So a ``Search`` knows the hash, and asks for the
/// entries of that hash one after another:
///
///     var search = KeyTable<Key, Value>.Search(key)  // calls `hash(into:)`
///     while let entry = lock.withLock({ table.next(&search) }) {
///       if entry.key == key { return entry.value }
///     }
///
/// Entries have numbers in the order of their insertion. What is inserted while a caller compares has a greater number than
/// all that the search has seen. So it is found by a later step, or makes ``insert(_:for:)`` refuse, and no key is inserted
/// twice.
@usableFromInline
struct KeyTable<Key: Hashable, Value>: ~Copyable {

  @usableFromInline
  struct Entry {

    @usableFromInline
    let key: Key

    @usableFromInline
    let value: Value

    @inlinable
    init(_ key: Key, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// A place for an entry, in a chain of the places whose hashes begin alike.
  @usableFromInline
  struct Place {

    /// `nil` while the place is free. Then `next` is the next free place.
    @usableFromInline
    var entry: Entry?

    @usableFromInline
    let hash: Int

    /// The number of the entry, or zero.
    @usableFromInline
    var number: Int64

    @usableFromInline
    var next = none

    @inlinable
    init(_ entry: Entry, hash: Int, number: Int64) {
      self.entry = entry
      self.hash = hash
      self.number = number
    }
  }

  /// The search for a key: its hash, and the last entry that was compared.
  @usableFromInline
  struct Search {

    @usableFromInline
    let key: Key

    @usableFromInline
    let hash: Int

    @usableFromInline
    var place = none

    @usableFromInline
    var number: Int64 = 0

    /// Computes the hash. No lock is held.
    @inlinable
    init(_ key: Key) {
      self.key = key
      hash = key.hashValue
    }
  }

  /// In place of the number of a place.
  @inlinable
  static var none: Int { -1 }

  @usableFromInline
  var places: [Place] = []

  /// The first place of each chain. Their number is a power of two.
  @usableFromInline
  var heads: [Int] = []

  @usableFromInline
  var firstFree = none

  @usableFromInline
  var count = 0

  @usableFromInline
  var lastNumber: Int64 = 0

  @inlinable
  init() {}

  /// The next entry with the hash that is searched for.
  @inlinable
  func next(_ search: inout Search) -> Entry? {
    let place = place(after: search)
    guard place != Self.none else { return nil }
    search.place = place
    search.number = places[place].number
    return places[place].entry
  }

  /// Whether the entry that a search has found last is still in the table.
  @inlinable
  func contains(_ search: Search) -> Bool {
    search.place >= 0 && search.place < places.count && places[search.place].number == search.number
  }

  /// Adds a value for the key that was searched for, if no entry has its hash that the search has not seen.
  ///
  /// - Returns: The place of the entry, or `nil` if the search is not at its end.
  @inlinable
  mutating func insert(_ value: Value, for search: Search) -> Int? {
    guard place(after: search) == Self.none else { return nil }
    if count == heads.count { grow() }
    count += 1
    lastNumber += 1
    let entry = Place(Entry(search.key, value), hash: search.hash, number: lastNumber)
    let place = firstFree
    if place == Self.none {
      places.append(entry)
      append(places.count - 1)
      return places.count - 1
    }
    firstFree = places[place].next
    places[place] = entry
    append(place)
    return place
  }

  /// Removes an entry.
  @inlinable
  mutating func remove(at place: Int) -> Entry? {
    let chain = chain(of: places[place].hash)
    if heads[chain] == place {
      heads[chain] = places[place].next
    } else {
      var previous = heads[chain]
      while places[previous].next != place { previous = places[previous].next }
      places[previous].next = places[place].next
    }
    let entry = exchange(&places[place].entry, with: nil)
    places[place].number = 0
    places[place].next = firstFree
    firstFree = place
    count -= 1
    return entry
  }

  /// The place of a value, which the predicate knows.
  @inlinable
  func place(of hash: Int, where predicate: (Value) -> Bool) -> Int {
    guard !heads.isEmpty else { return Self.none }
    var place = heads[chain(of: hash)]
    while place != Self.none, let entry = places[place].entry, !predicate(entry.value) { place = places[place].next }
    return place
  }

  /// The first place of a hash whose entry has a greater number than the last one that was compared.
  @inlinable
  func place(after search: Search) -> Int {
    guard !heads.isEmpty else { return Self.none }
    // An entry that was removed meanwhile does not know the next one.
    var place = contains(search) ? places[search.place].next : heads[chain(of: search.hash)]
    while place != Self.none, places[place].hash != search.hash || places[place].number < search.number {
      place = places[place].next
    }
    return place
  }

  /// The chain of a hash. A type's own `hashValue` may differ in its first bits only.
  @inlinable
  func chain(of hash: Int) -> Int {
    let spread = UInt64(truncatingIfNeeded: hash) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: spread >> 32) & (heads.count - 1)
  }

  /// Puts a place at the end of its chain, so that the numbers in a chain increase.
  @inlinable
  mutating func append(_ place: Int) {
    places[place].next = Self.none
    let chain = chain(of: places[place].hash)
    guard heads[chain] != Self.none else {
      heads[chain] = place
      return
    }
    var last = heads[chain]
    while places[last].next != Self.none { last = places[last].next }
    places[last].next = place
  }

  @inlinable
  mutating func grow() {
    let old = heads
    heads = Array(repeating: Self.none, count: Swift.max(8, 2 * old.count))
    for head in old {
      var place = head
      while place != Self.none {
        let next = places[place].next
        append(place)
        place = next
      }
    }
  }
}
