import Testing

@testable import CombineExtras

@Suite struct KeyTableTests {

  /// A key of which many have one hash.
  private struct Key: Hashable {

    let number: Int
    let hashes: Int

    init(_ number: Int, hashes: Int = 1) {
      self.number = number
      self.hashes = hashes
    }

    var hashValue: Int { number % hashes }

    func hash(into hasher: inout Hasher) { hasher.combine(number % hashes) }
  }

  private typealias Table = KeyTable<Key, Int>

  /// The keys that a search finds.
  private func found(_ table: borrowing Table, _ search: inout Table.Search) -> [Int] {
    var found: [Int] = []
    while let entry = table.next(&search) { found.append(entry.key.number) }
    return found
  }

  @Test func findsTheEntriesOfAHashInTheOrderOfTheirInsertion() {
    var table = Table()
    for number in 0..<100 {
      let key = Key(number, hashes: 7)
      var search = Table.Search(key)
      expectStep(found(table, &search) == (0..<number).filter { $0 % 7 == number % 7 })
      expectStep(table.insert(number, for: search) != nil)
    }
  }

  @Test func aSearchFindsWhatWasInsertedMeanwhile() {
    var table = Table()
    var (first, second) = (Table.Search(Key(1)), Table.Search(Key(2)))
    expectStep(found(table, &first) == [])
    expectStep(found(table, &second) == [])
    expectStep(table.insert(2, for: second) != nil)
    expectStep(table.insert(1, for: first) == nil)
    expectStep(found(table, &first) == [2])
    expectStep(table.insert(1, for: first) != nil)
  }

  @Test func aSearchGoesOnAfterItsEntryWasRemoved() {
    var table = Table()
    var places: [Int] = []
    for number in 1...4 {
      var search = Table.Search(Key(number))
      _ = found(table, &search)
      if let place = table.insert(number, for: search) { places.append(place) }
    }
    var search = Table.Search(Key(9))
    expectStep(table.next(&search)?.value == 1)
    expectStep(table.next(&search)?.value == 2)
    expectStep(table.contains(search))
    expectStep(table.remove(at: places[1])?.value == 2)
    expectStep(!table.contains(search))
    // Its place is taken by another entry.
    var other = Table.Search(Key(5))
    _ = found(table, &other)
    expectStep(table.insert(5, for: other) == places[1])
    expectStep(!table.contains(search))
    expectStep(found(table, &search) == [3, 4, 5])
  }

  /// Against a plain list, over insertions and removals in an order that a fixed generator chooses.
  @Test(arguments: [1, 3, 1000])
  func agreesWithAList(hashes: Int) {
    var table = Table()
    var list: [(number: Int, place: Int)] = []
    var random = 7
    for _ in 0..<2000 {
      random = (random &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
      let number = random >> 8 & 63
      let key = Key(number, hashes: hashes)
      var search = Table.Search(key)
      var place: Int?
      while place == nil, let entry = table.next(&search) {
        if entry.key == key { place = search.place }
      }
      expectStep(place == list.first { $0.number == number }?.place)
      if let place {
        expectStep(table.place(of: search.hash) { $0 == number } == place)
        expectStep(table.remove(at: place)?.value == number)
        list.removeAll { $0.number == number }
      } else if let place = table.insert(number, for: search) {
        list.append((number, place))
      } else {
        Issue.record("\(number) is not inserted")
      }
      expectStep(table.count == list.count)
    }
  }
}
