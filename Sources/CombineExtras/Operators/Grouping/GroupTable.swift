import CombineCore

/// The pure state of `groupBy`: the open groups by key, in the order of their last use. Each step takes constant time.
///
/// It calls no code of the key's type; see ``KeyTable``. What a step removes it returns, to be released with no lock held.
@usableFromInline
struct GroupTable<Key: Hashable, Group: AnyObject>: ~Copyable {

  @usableFromInline
  typealias Groups = KeyTable<Key, Group>

  /// The neighbours of a place in the order of use. Numbers are not retained, as objects would be for each element.
  @usableFromInline
  struct Neighbours {

    @usableFromInline
    var older = Groups.none

    @usableFromInline
    var newer = Groups.none

    @inlinable
    init() {}
  }

  /// The maximum number of groups.
  @usableFromInline
  let limit: Int

  @usableFromInline
  var groups = Groups()

  /// The neighbours of each place.
  @usableFromInline
  var neighbours: [Neighbours] = []

  @usableFromInline
  var oldest = Groups.none

  @usableFromInline
  var newest = Groups.none

  @inlinable
  init(limit: Int) {
    self.limit = limit
  }

  /// The next group that may be that of the key that is searched for.
  @inlinable
  func next(_ search: inout Groups.Search) -> Groups.Entry? {
    groups.next(&search)
  }

  /// Notes that the group that a search has found is used now.
  ///
  /// - Returns: Whether it is still open.
  @inlinable
  mutating func use(_ search: Groups.Search) -> Bool {
    guard groups.contains(search) else { return false }
    let place = search.place
    if place != newest {
      unlink(place)
      link(place)
    }
    return true
  }

  /// Adds a group for the key that was searched for, unless a group has come that the search has not seen.
  ///
  /// - Parameter evicted: Becomes the entry of the group used least recently, if it was removed because the table was full.
  /// - Returns: Whether the group was added.
  @inlinable
  mutating func insert(_ group: Group, for search: Groups.Search, evicted: inout Groups.Entry?) -> Bool {
    guard let place = groups.insert(group, for: search) else { return false }
    if place == neighbours.count { neighbours.append(Neighbours()) }
    if groups.count > limit, oldest != Groups.none { evicted = remove(at: oldest) }
    link(place)
    return true
  }

  /// Removes a group, unless it was removed before.
  ///
  /// - Parameter hash: The hash of its key.
  /// - Returns: The entry that was removed.
  @inlinable
  mutating func remove(_ group: Group, of hash: Int) -> Groups.Entry? {
    let place = groups.place(of: hash) { $0 === group }
    return place == Groups.none ? nil : remove(at: place)
  }

  /// Removes all groups.
  ///
  /// - Returns: The entries, the one used least recently first.
  @inlinable
  mutating func removeAll() -> [Groups.Entry] {
    var removed: [Groups.Entry] = []
    while oldest != Groups.none {
      if let entry = remove(at: oldest) { removed.append(entry) }
    }
    return removed
  }

  /// Returns whether a group satisfies a predicate.
  @inlinable
  func contains(where predicate: (Group) -> Bool) -> Bool {
    groups.places.contains { $0.entry.map { predicate($0.value) } ?? false }
  }

  @inlinable
  mutating func remove(at place: Int) -> Groups.Entry? {
    unlink(place)
    return groups.remove(at: place)
  }

  @inlinable
  mutating func link(_ place: Int) {
    neighbours[place].older = newest
    neighbours[place].newer = Groups.none
    if newest == Groups.none { oldest = place } else { neighbours[newest].newer = place }
    newest = place
  }

  @inlinable
  mutating func unlink(_ place: Int) {
    let (older, newer) = (neighbours[place].older, neighbours[place].newer)
    if older == Groups.none { oldest = newer } else { neighbours[older].newer = newer }
    if newer == Groups.none { newest = older } else { neighbours[newer].older = older }
  }
}
