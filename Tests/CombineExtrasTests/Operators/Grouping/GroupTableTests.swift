import TestSupport
import Testing

@testable import CombineExtras

@Suite struct GroupTableTests {

  private final class Group: Sendable {

    let name: String

    init(_ name: String) {
      self.name = name
    }
  }

  private typealias Table = GroupTable<String, Group>

  /// Adds groups named as their keys.
  ///
  /// - Returns: The names of the groups removed for them.
  private func insert(_ keys: String..., into table: inout Table) -> [String] {
    keys.compactMap { table.insert(Group($0), for: $0)?.value.name }
  }

  @Test func findsTheGroupOfAKey() {
    var table = Table(limit: .max)
    #expect(insert("a", "b", into: &table) == [])
    let names = ["a", "b", "c"].map { table.use($0)?.name }
    #expect(names == ["a", "b", nil])
  }

  @Test func aFullTableRemovesTheGroupUsedLeastRecently() {
    var table = Table(limit: 2)
    #expect(insert("a", "b", "c", into: &table) == ["a"])
    _ = table.use("b")
    #expect(insert("d", "e", into: &table) == ["c", "b"])
    let names = ["d", "e"].map { table.use($0)?.name }
    #expect(names == ["d", "e"])
  }

  @Test func removesAllInTheOrderOfTheirLastUse() {
    var table = Table(limit: .max)
    _ = insert("a", "b", "c", "d", into: &table)
    for key in ["b", "d", "a", "a"] { _ = table.use(key) }
    let names = table.removeAll().map(\.value.name)
    #expect(names == ["c", "b", "d", "a"])
    let rest = table.removeAll().map(\.value.name)
    #expect(rest == [])
    #expect(insert("a", into: &table) == [])
  }

  @Test(arguments: ["a", "b", "c"])
  func aRemovedGroupLeavesTheOrder(_ key: String) {
    var table = Table(limit: 3)
    _ = insert("a", "b", "c", into: &table)
    let group = table.use(key)
    let removed = group.flatMap { table.remove($0, for: key)?.value.name }
    #expect(removed == key)
    let names = table.removeAll().map(\.value.name)
    #expect(names == ["a", "b", "c"].filter { $0 != key })
  }

  @Test func doesNotRemoveALaterGroupOfTheKey() {
    var table = Table(limit: .max)
    let (early, late) = (Group("early"), Group("late"))
    _ = table.insert(early, for: "a")
    _ = table.remove(early, for: "a")
    _ = table.insert(late, for: "a")
    expectStep(table.remove(early, for: "a") == nil)
    expectStep(table.use("a") === late)
    expectStep(table.contains { $0 === late })
    expectStep(!table.contains { $0 === early })
  }

  /// Against a plain list, over all sequences of a few steps.
  @Test func agreesWithAListOverAllShortSequences() {
    let keys = ["a", "b", "c"]
    for limit in 1...3 {
      for code in 0..<3125 {
        var table = Table(limit: limit)
        var list: [Group] = []
        var rest = code
        for _ in 0..<5 {
          let (step, key) = (rest % 5, keys[rest % 5 % 3])
          rest /= 5
          if step < 3 {
            let found = list.firstIndex { $0.name == key }
            expectStep(table.use(key) === found.map { list[$0] })
            if let found {
              list.append(list.remove(at: found))
            } else {
              let group = Group(key)
              let evicted = list.count == limit ? list.removeFirst() : nil
              list.append(group)
              expectStep(table.insert(group, for: key)?.value === evicted)
            }
          } else if let group = list.first {
            expectStep(table.remove(group, for: group.name)?.value === group)
            list.removeFirst()
          }
        }
        let all = table.removeAll()
        expectStep(all.map { ObjectIdentifier($0.value) } == list.map { ObjectIdentifier($0) })
      }
    }
  }
}

extension GroupTable {

  /// The group of a key, which is used now.
  fileprivate mutating func use(_ key: Key) -> Group? {
    var search = KeyTable<Key, Group>.Search(key)
    while let entry = next(&search) {
      if entry.key == key { return use(search) ? entry.value : nil }
    }
    return nil
  }

  /// Adds a group for a key that has none.
  ///
  /// - Returns: The entry of the group that was removed for it.
  fileprivate mutating func insert(_ group: Group, for key: Key) -> KeyTable<Key, Group>.Entry? {
    var search = KeyTable<Key, Group>.Search(key)
    while next(&search) != nil {}
    var evicted: KeyTable<Key, Group>.Entry?
    expectStep(insert(group, for: search, evicted: &evicted))
    return evicted
  }

  fileprivate mutating func remove(_ group: Group, for key: Key) -> KeyTable<Key, Group>.Entry? {
    remove(group, of: key.hashValue)
  }
}
