import CombineCore

/// The pure state of `groupBy`: the open groups by key, in the order of their last use. Each step takes constant time.
///
/// What a step removes it returns, to be released with no lock held.
@usableFromInline
struct GroupTable<Key: Hashable, Group: AnyObject>: ~Copyable {

  /// A group and its neighbours in the order of use.
  @usableFromInline
  final class Entry {

    @usableFromInline
    let key: Key

    @usableFromInline
    let group: Group

    // The dictionary owns the entries, and an entry leaves the order when it leaves the dictionary. Only a mutating call of
    // the table reads and writes these two.
    @exclusivity(unchecked)
    @usableFromInline
    unowned(unsafe) var older: Entry?

    @exclusivity(unchecked)
    @usableFromInline
    unowned(unsafe) var newer: Entry?

    @inlinable
    init(_ key: Key, _ group: Group) {
      self.key = key
      self.group = group
    }
  }

  /// The maximum number of groups.
  @usableFromInline
  let limit: Int

  @usableFromInline
  var entries: [Key: Entry] = [:]

  // The ends of the order, owned by the dictionary, too.
  @usableFromInline
  unowned(unsafe) var oldest: Entry?

  @usableFromInline
  unowned(unsafe) var newest: Entry?

  @inlinable
  init(limit: Int) {
    self.limit = limit
  }

  /// The group of a key, which is used now.
  @inlinable
  mutating func use(_ key: Key) -> Group? {
    guard let entry = entries[key] else { return nil }
    if entry !== newest {
      unlink(entry)
      link(entry)
    }
    return entry.group
  }

  /// Adds a group for a key that has none.
  ///
  /// - Returns: The entry of the group used least recently, which was removed because the table was full.
  @inlinable
  mutating func insert(_ group: Group, for key: Key) -> Entry? {
    let evicted = entries.count < limit ? nil : oldest.flatMap { remove($0.group, for: $0.key) }
    let entry = Entry(key, group)
    entries[key] = entry
    link(entry)
    return evicted
  }

  /// Removes a group, unless another one has its key by now.
  ///
  /// - Returns: The entry that was removed.
  @inlinable
  mutating func remove(_ group: Group, for key: Key) -> Entry? {
    guard let entry = entries[key], entry.group === group else { return nil }
    unlink(entry)
    entries[key] = nil
    return entry
  }

  /// Removes all groups.
  ///
  /// - Returns: The entries, the one used least recently first.
  @inlinable
  mutating func removeAll() -> [Entry] {
    var removed: [Entry] = []
    var next = oldest
    while let entry = next {
      removed.append(entry)
      next = entry.newer
    }
    (oldest, newest) = (nil, nil)
    entries = [:]
    return removed
  }

  /// Returns whether a group satisfies a predicate.
  @inlinable
  func contains(where predicate: (Group) -> Bool) -> Bool {
    entries.values.contains { predicate($0.group) }
  }

  @inlinable
  mutating func link(_ entry: Entry) {
    (entry.older, entry.newer) = (newest, nil)
    if let newest { newest.newer = entry } else { oldest = entry }
    newest = entry
  }

  @inlinable
  mutating func unlink(_ entry: Entry) {
    let (older, newer) = (entry.older, entry.newer)
    if let older { older.newer = newer } else { oldest = newer }
    if let newer { newer.older = older } else { newest = older }
  }
}
