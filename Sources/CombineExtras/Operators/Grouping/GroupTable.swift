import CombineCore

/// The pure state of `groupBy`: the open groups by key, in the order of their last use. Each step takes constant time.
///
/// What a step removes it returns, to be released with no lock held.
@usableFromInline
struct GroupTable<Key: Hashable, Group: AnyObject>: ~Copyable {

  @usableFromInline
  struct Entry {

    @usableFromInline
    let key: Key

    @usableFromInline
    let group: Group

    @inlinable
    init(_ key: Key, _ group: Group) {
      self.key = key
      self.group = group
    }
  }

  /// A place for an entry, with the places of its neighbours in the order of use. Numbers are not retained, as objects would
  /// be for each element.
  @usableFromInline
  struct Place {

    /// `nil` while the place is free. Then `newer` is the next free place.
    @usableFromInline
    var entry: Entry?

    @usableFromInline
    var older = none

    @usableFromInline
    var newer = none

    @inlinable
    init(_ entry: Entry) {
      self.entry = entry
    }
  }

  /// In place of the number of a place.
  @inlinable
  static var none: Int { -1 }

  /// The maximum number of groups.
  @usableFromInline
  let limit: Int

  @usableFromInline
  var numbers: [Key: Int] = [:]

  @usableFromInline
  var places: [Place] = []

  @usableFromInline
  var oldest = none

  @usableFromInline
  var newest = none

  @usableFromInline
  var firstFree = none

  @inlinable
  init(limit: Int) {
    self.limit = limit
  }

  /// The group of a key, which is used now.
  @inlinable
  mutating func use(_ key: Key) -> Group? {
    guard let number = numbers[key] else { return nil }
    if number != newest {
      unlink(number)
      link(number)
    }
    return places[number].entry?.group
  }

  /// Adds a group for a key that has none.
  ///
  /// - Returns: The entry of the group used least recently, which was removed because the table was full.
  @inlinable
  mutating func insert(_ group: Group, for key: Key) -> Entry? {
    let evicted = numbers.count < limit || oldest == Self.none ? nil : remove(at: oldest)
    let number = place(Entry(key, group))
    numbers[key] = number
    link(number)
    return evicted
  }

  /// Removes a group, unless another one has its key by now.
  ///
  /// - Returns: The entry that was removed.
  @inlinable
  mutating func remove(_ group: Group, for key: Key) -> Entry? {
    guard let number = numbers[key], places[number].entry?.group === group else { return nil }
    return remove(at: number)
  }

  /// Removes all groups.
  ///
  /// - Returns: The entries, the one used least recently first.
  @inlinable
  mutating func removeAll() -> [Entry] {
    var removed: [Entry] = []
    var next = oldest
    while next != Self.none {
      if let entry = places[next].entry { removed.append(entry) }
      next = places[next].newer
    }
    self = Self(limit: limit)
    return removed
  }

  /// Returns whether a group satisfies a predicate.
  @inlinable
  func contains(where predicate: (Group) -> Bool) -> Bool {
    places.contains { $0.entry.map { predicate($0.group) } ?? false }
  }

  /// Puts an entry into a free place, or a new one.
  @inlinable
  mutating func place(_ entry: Entry) -> Int {
    guard firstFree != Self.none else {
      places.append(Place(entry))
      return places.count - 1
    }
    let number = firstFree
    firstFree = places[number].newer
    places[number] = Place(entry)
    return number
  }

  @inlinable
  mutating func remove(at number: Int) -> Entry? {
    unlink(number)
    let entry = exchange(&places[number].entry, with: nil)
    places[number].newer = firstFree
    firstFree = number
    if let entry { numbers[entry.key] = nil }
    return entry
  }

  @inlinable
  mutating func link(_ number: Int) {
    places[number].older = newest
    places[number].newer = Self.none
    if newest == Self.none { oldest = number } else { places[newest].newer = number }
    newest = number
  }

  @inlinable
  mutating func unlink(_ number: Int) {
    let (older, newer) = (places[number].older, places[number].newer)
    if older == Self.none { oldest = newer } else { places[older].newer = newer }
    if newer == Self.none { newest = older } else { places[newer].older = older }
  }
}
