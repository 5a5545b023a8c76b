import CombineCore

extension Publisher where Output: Hashable {

  /// Drops each element that was published before.
  ///
  /// For each dropped element, the operator requests one more from the upstream. It keeps every element that it has
  /// published until the subscription ends, so its memory grows with the number of different elements. To compare an
  /// element only with the one before it, use `removeDuplicates()`.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--a--c--b--|"
  ///   $0[0].distinct()
  ///   "a--b-----c-----|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the elements that differ from all before them. A lookup takes constant time.
  @inlinable
  public func distinct() -> Deferred<Publishers.Filter<Self>> {
    distinct(by: { $0 })
  }
}

extension Publisher {

  /// Drops each element whose key is that of an element published before.
  ///
  /// For each dropped element, the operator requests one more from the upstream. It keeps all keys until the subscription
  /// ends.
  ///
  /// ```swift
  /// marbles {
  ///   "a--A--b--B--|"
  ///   $0[0].distinct { $0.lowercased() }
  ///   "a-----b-----|"
  /// }
  /// ```
  ///
  /// - Parameter key: A closure that returns the key of an element.
  /// - Returns: A publisher of the first element of each key. A lookup takes constant time.
  @inlinable
  public func distinct<Key: Hashable>(by key: @escaping (Output) -> Key) -> Deferred<Publishers.Filter<Self>> {
    Deferred {
      let seen = DistinctKeys<Key>()
      return self.filter { seen.insert(key($0)) }
    }
  }

  /// Drops each element that duplicates any element published before, according to a predicate.
  ///
  /// For each dropped element, the operator requests one more from the upstream. It keeps all published elements until the
  /// subscription ends.
  ///
  /// ```swift
  /// marbles {
  ///   "a--A--b--B--|"
  ///   $0[0].distinct { $0.lowercased() == $1.lowercased() }
  ///   "a-----b-----|"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns whether an element, its second argument, duplicates an earlier one, its
  ///   first argument. It is called for the earlier elements in turn, the oldest first.
  /// - Returns: A publisher of the elements that duplicate none before them. A lookup takes time linear in their number.
  @inlinable
  public func distinct(by predicate: @escaping (Output, Output) -> Bool) -> Deferred<Publishers.Filter<Self>> {
    Deferred {
      var seen: [Output] = []
      return self.filter { element in
        // The predicate may send an element that is seen before this one.
        var index = 0
        while index < seen.count {
          let earlier = seen[index]
          if predicate(earlier, element) { return false }
          index += 1
        }
        seen.append(element)
        return true
      }
    }
  }
}

/// The keys of the elements that were published.
///
/// The filter's upstream serializes its calls. A nested call comes from the code of a key, while no table is being changed.
@usableFromInline
final class DistinctKeys<Key: Hashable> {

  @usableFromInline
  var keys = KeyTable<Key, Void>()

  @inlinable
  init() {}

  /// Adds a key.
  ///
  /// - Returns: Whether it is new.
  @inlinable
  func insert(_ key: Key) -> Bool {
    var search = KeyTable<Key, Void>.Search(key)
    repeat {
      while let entry = keys.next(&search) {
        if entry.key == key { return false }
      }
    } while keys.insert((), for: search) == nil
    return true
  }
}
