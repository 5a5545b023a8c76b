// swift-format-ignore-file
import CombineExtras
import CombineTesting
import Testing

/// The tests that the page *Operators* offers for its first scenes. OperatorSourcesTests has written this file.
@Suite struct PageMarbles {

  @Test("map") func case1() {
    marbles {
      "a--b-c--|"
      $0[0].map { $0.uppercased() }
      "A--B-C--|"
    }
  }

  @Test("map, lowercase") func case2() {
    marbles {
      "a--b-c--|"
      $0[0].map { $0.lowercased() }
      "a--b-c--|"
    }
  }

  @Test("map, double") func case3() {
    marbles(outputs: ["p": "aa", "q": "bb", "r": "cc"]) {
      "a--b-c--|"
      $0[0].map { $0 + $0 }
      "p--q-r--|"
    }
  }

  @Test("tryMap") func case4() {
    marbles {
      "a--b-c--|"
      $0[0].tryMap { letter in
        let isBad = [letter].contains { $0 == "b" }
        if isBad { throw MarbleError() }
        return letter.uppercased()
      }
      "A--#"
    }
  }

  @Test("tryMap, before-c") func case5() {
    marbles {
      "a--b-c--|"
      $0[0].tryMap { letter in
        let isBad = [letter].contains { $0 < "c" }
        if isBad { throw MarbleError() }
        return letter.uppercased()
      }
      "#"
    }
  }

  @Test("tryMap, not-b") func case6() {
    marbles {
      "a--b-c--|"
      $0[0].tryMap { letter in
        let isBad = [letter].contains { $0 != "b" }
        if isBad { throw MarbleError() }
        return letter.uppercased()
      }
      "#"
    }
  }

  @Test("tryMap, vowel") func case7() {
    marbles {
      "a--b-c--|"
      $0[0].tryMap { letter in
        let isBad = [letter].contains { "aeiou".contains($0) }
        if isBad { throw MarbleError() }
        return letter.uppercased()
      }
      "#"
    }
  }

  @Test("tryMap, any") func case8() {
    marbles {
      "a--b-c--|"
      $0[0].tryMap { letter in
        let isBad = [letter].contains { _ in true }
        if isBad { throw MarbleError() }
        return letter.uppercased()
      }
      "#"
    }
  }

  @Test("compactMap") func case9() {
    marbles {
      "1--a-2-b-|"
      $0[0].compactMap { Int($0) }
      "1----2---|"
    }
  }

  @Test("replaceNil") func case10() {
    marbles {
      "1--a-2-b-|"
      $0[0].map { Int($0) }.replaceNil(with: 0)
      "1--0-2-0-|"
    }
  }

  @Test("replaceNil, 1") func case11() {
    marbles {
      "1--a-2-b-|"
      $0[0].map { Int($0) }.replaceNil(with: 1)
      "1--1-2-1-|"
    }
  }

  @Test("scan") func case12() {
    marbles(of: Int.self) {
      "1--2--3--|"
      $0[0].scan(0) { $0 + $1 }
      "1--3--6--|"
    }
  }

  @Test("scan, 1") func case13() {
    marbles(of: Int.self) {
      "1--2--3--|"
      $0[0].scan(1) { $0 + $1 }
      "2--4--7--|"
    }
  }

  @Test("scan, difference") func case14() {
    marbles(of: Int.self, outputs: ["p": -1, "q": -3, "r": -6]) {
      "1--2--3--|"
      $0[0].scan(0) { $0 - $1 }
      "p--q--r--|"
    }
  }

  @Test("scan, maximum") func case15() {
    marbles(of: Int.self) {
      "1--2--3--|"
      $0[0].scan(0) { max($0, $1) }
      "1--2--3--|"
    }
  }

  @Test("tryScan") func case16() {
    marbles(of: Int.self) {
      "1--2--3--|"
      $0[0].tryScan(0) { sum, number in
        if sum + number > 4 { throw MarbleError() }
        return sum + number
      }
      "1--3--#"
    }
  }

  @Test("tryScan, 5") func case17() {
    marbles(of: Int.self) {
      "1--2--3--|"
      $0[0].tryScan(0) { sum, number in
        if sum + number > 5 { throw MarbleError() }
        return sum + number
      }
      "1--3--#"
    }
  }

  @Test("enumerated") func case18() {
    marbles(outputs: ["p": "0a", "q": "1b", "r": "2c"]) {
      "a--b-c--|"
      $0[0].enumerated(initial: 0).map { "\($0.index)\($0.element)" }
      "p--q-r--|"
    }
  }

  @Test("enumerated, 1") func case19() {
    marbles(outputs: ["p": "1a", "q": "2b", "r": "3c"]) {
      "a--b-c--|"
      $0[0].enumerated(initial: 1).map { "\($0.index)\($0.element)" }
      "p--q-r--|"
    }
  }

  @Test("pairwise") func case20() {
    marbles(outputs: ["p": "ab", "q": "bc", "r": "cd"]) {
      "a--b-c--d-|"
      $0[0].pairwise().map { $0.0 + $0.1 }
      "---p-q--r-|"
    }
  }

  @Test("filter") func case21() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].filter { $0 < "c" }
      "a-b----b-a-|"
    }
  }

  @Test("filter, is-b") func case22() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].filter { $0 == "b" }
      "--b----b---|"
    }
  }

  @Test("filter, not-b") func case23() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].filter { $0 != "b" }
      "a----c---a-|"
    }
  }

  @Test("filter, vowel") func case24() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].filter { "aeiou".contains($0) }
      "a--------a-|"
    }
  }

  @Test("filter, any") func case25() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].filter { _ in true }
      "a-b--c-b-a-|"
    }
  }

  @Test("removeDuplicates") func case26() {
    marbles {
      "a-a-b--b-a-|"
      $0[0].removeDuplicates()
      "a---b----a-|"
    }
  }

  @Test("removeDuplicates-by") func case27() {
    marbles {
      "a-A-b--B-a-|"
      $0[0].removeDuplicates { $0.lowercased() == $1.lowercased() }
      "a---b----a-|"
    }
  }

  @Test("distinct") func case28() {
    marbles {
      "a-b-a--c-b-|"
      $0[0].distinct()
      "a-b----c---|"
    }
  }

  @Test("ignoreOutput") func case29() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].ignoreOutput()
      "-----------|"
    }
  }

  @Test("partition") func case30() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].partition { $0 < "c" }.matches
      "a-b----b-a-|"
    }
  }

  @Test("partition, is-b") func case31() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].partition { $0 == "b" }.matches
      "--b----b---|"
    }
  }

  @Test("partition, not-b") func case32() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].partition { $0 != "b" }.matches
      "a----c---a-|"
    }
  }

  @Test("partition, vowel") func case33() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].partition { "aeiou".contains($0) }.matches
      "a--------a-|"
    }
  }

  @Test("partition, any") func case34() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].partition { _ in true }.matches
      "a-b--c-b-a-|"
    }
  }

  @Test("partition, others") func case35() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].partition { $0 < "c" }.nonMatches
      "-----c-----|"
    }
  }

  @Test("dropFirst") func case36() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].dropFirst(2)
      "-----c-b-a-|"
    }
  }

  @Test("dropFirst, 3") func case37() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].dropFirst(3)
      "-------b-a-|"
    }
  }

  @Test("drop-while") func case38() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].drop { $0 < "c" }
      "-----c-b-a-|"
    }
  }

  @Test("drop-while, is-b") func case39() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].drop { $0 == "b" }
      "a-b--c-b-a-|"
    }
  }

  @Test("drop-while, not-b") func case40() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].drop { $0 != "b" }
      "--b--c-b-a-|"
    }
  }

  @Test("drop-while, vowel") func case41() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].drop { "aeiou".contains($0) }
      "--b--c-b-a-|"
    }
  }

  @Test("drop-while, any") func case42() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].drop { _ in true }
      "-----------|"
    }
  }

  @Test("drop-untilOutputFrom") func case43() {
    marbles {
      "a-b--c-b-a-|"
      "----x---y---"
      $0[0].drop(untilOutputFrom: $0[1])
      "-----c-b-a-|"
    }
  }

  @Test("dropLast") func case44() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].dropLast(2)
      "-----a-b-c-|"
    }
  }

  @Test("dropLast, 3") func case45() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].dropLast(3)
      "-------a-b-|"
    }
  }

  @Test("prefix") func case46() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(2)
      "a-(b|)"
    }
  }

  @Test("prefix, 3") func case47() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(3)
      "a-b--(c|)"
    }
  }

  @Test("prefix-while") func case48() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix { $0 < "c" }
      "a-b--|"
    }
  }

  @Test("prefix-while, is-b") func case49() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix { $0 == "b" }
      "|"
    }
  }

  @Test("prefix-while, not-b") func case50() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix { $0 != "b" }
      "a-|"
    }
  }

  @Test("prefix-while, vowel") func case51() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix { "aeiou".contains($0) }
      "a-|"
    }
  }

  @Test("prefix-while, any") func case52() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix { _ in true }
      "a-b--c-b-a-|"
    }
  }

  @Test("prefix-while-behavior") func case53() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(while: { $0 < "c" }, behavior: .inclusive)
      "a-b--(c|)"
    }
  }

  @Test("prefix-while-behavior, is-b") func case54() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(while: { $0 == "b" }, behavior: .inclusive)
      "(a|)"
    }
  }

  @Test("prefix-while-behavior, not-b") func case55() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(while: { $0 != "b" }, behavior: .inclusive)
      "a-(b|)"
    }
  }

  @Test("prefix-while-behavior, vowel") func case56() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(while: { "aeiou".contains($0) }, behavior: .inclusive)
      "a-(b|)"
    }
  }

  @Test("prefix-while-behavior, any") func case57() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(while: { _ in true }, behavior: .inclusive)
      "a-b--c-b-a-|"
    }
  }

  @Test("prefix-untilOutputFrom") func case58() {
    marbles {
      "a-b--c-b-a-|"
      "------x---y-"
      $0[0].prefix(untilOutputFrom: $0[1])
      "a-b--c|"
    }
  }

  @Test("prefix-duration") func case59() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(duration: 6, on: $0.scheduler)
      "a-b--c|"
    }
  }

  @Test("prefix-duration, 7") func case60() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].prefix(duration: 7, on: $0.scheduler)
      "a-b--c-(b|)"
    }
  }

  @Test("suffix") func case61() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].suffix(2)
      "-----------(ba|)"
    }
  }

  @Test("suffix, 3") func case62() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].suffix(3)
      "-----------(cba|)"
    }
  }

  @Test("first") func case63() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].first()
      "(a|)"
    }
  }

  @Test("first-where") func case64() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].first { $0 == "b" }
      "--(b|)"
    }
  }

  @Test("first-where, before-c") func case65() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].first { $0 < "c" }
      "(a|)"
    }
  }

  @Test("first-where, not-b") func case66() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].first { $0 != "b" }
      "(a|)"
    }
  }

  @Test("first-where, vowel") func case67() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].first { "aeiou".contains($0) }
      "(a|)"
    }
  }

  @Test("first-where, any") func case68() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].first { _ in true }
      "(a|)"
    }
  }

  @Test("last") func case69() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].last()
      "-----------(a|)"
    }
  }

  @Test("last-where") func case70() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].last { $0 == "b" }
      "-----------(b|)"
    }
  }

  @Test("last-where, before-c") func case71() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].last { $0 < "c" }
      "-----------(a|)"
    }
  }

  @Test("last-where, not-b") func case72() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].last { $0 != "b" }
      "-----------(a|)"
    }
  }

  @Test("last-where, vowel") func case73() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].last { "aeiou".contains($0) }
      "-----------(a|)"
    }
  }

  @Test("last-where, any") func case74() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].last { _ in true }
      "-----------(a|)"
    }
  }

  @Test("output-at") func case75() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].output(at: 2)
      "-----(c|)"
    }
  }

  @Test("output-at, 3") func case76() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].output(at: 3)
      "-------(b|)"
    }
  }

  @Test("output-in") func case77() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].output(in: 1..<1 + 2)
      "--b--(c|)"
    }
  }

  @Test("output-in, 2") func case78() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].output(in: 2..<2 + 2)
      "-----c-(b|)"
    }
  }

  @Test("output-in, 3") func case79() {
    marbles {
      "a-b--c-b-a-|"
      $0[0].output(in: 1..<1 + 3)
      "--b--c-(b|)"
    }
  }

  @Test("collect") func case80() {
    marbles(outputs: ["p": ["a", "b", "c"]]) {
      "a--b-c--|"
      $0[0].collect()
      "--------(p|)"
    }
  }

  @Test("count") func case81() {
    marbles {
      "a--b-c--|"
      $0[0].count()
      "--------(3|)"
    }
  }

  @Test("min") func case82() {
    marbles(of: Int.self) {
      "3--1-5--2-|"
      $0[0].min()
      "----------(1|)"
    }
  }

  @Test("max") func case83() {
    marbles(of: Int.self) {
      "3--1-5--2-|"
      $0[0].max()
      "----------(5|)"
    }
  }

  @Test("min-by") func case84() {
    marbles(of: Int.self) {
      "3--1-5--2-|"
      $0[0].min { $0 % 5 < $1 % 5 }
      "----------(5|)"
    }
  }

  @Test("max-by") func case85() {
    marbles(of: Int.self) {
      "3--1-5--2-|"
      $0[0].max { $0 % 5 < $1 % 5 }
      "----------(3|)"
    }
  }

  @Test("reduce") func case86() {
    marbles(of: Int.self, outputs: ["p": 11]) {
      "3--1-5--2-|"
      $0[0].reduce(0) { $0 + $1 }
      "----------(p|)"
    }
  }

  @Test("reduce, 1") func case87() {
    marbles(of: Int.self, outputs: ["p": 12]) {
      "3--1-5--2-|"
      $0[0].reduce(1) { $0 + $1 }
      "----------(p|)"
    }
  }

  @Test("reduce, difference") func case88() {
    marbles(of: Int.self, outputs: ["p": -11]) {
      "3--1-5--2-|"
      $0[0].reduce(0) { $0 - $1 }
      "----------(p|)"
    }
  }

  @Test("reduce, maximum") func case89() {
    marbles(of: Int.self) {
      "3--1-5--2-|"
      $0[0].reduce(0) { max($0, $1) }
      "----------(5|)"
    }
  }

  @Test("contains") func case90() {
    marbles(of: Int.self, outputs: ["p": true]) {
      "3--1-5--2-|"
      $0[0].contains(5)
      "-----(p|)"
    }
  }

  @Test("contains, 6") func case91() {
    marbles(of: Int.self, outputs: ["p": false]) {
      "3--1-5--2-|"
      $0[0].contains(6)
      "----------(p|)"
    }
  }

  @Test("contains-where") func case92() {
    marbles(of: Int.self, outputs: ["p": true]) {
      "3--1-5--2-|"
      $0[0].contains { $0.isMultiple(of: 2) }
      "--------(p|)"
    }
  }

  @Test("contains-where, below-4") func case93() {
    marbles(of: Int.self, outputs: ["p": true]) {
      "3--1-5--2-|"
      $0[0].contains { $0 < 4 }
      "(p|)"
    }
  }

  @Test("contains-where, zero") func case94() {
    marbles(of: Int.self, outputs: ["p": false]) {
      "3--1-5--2-|"
      $0[0].contains { $0 == 0 }
      "----------(p|)"
    }
  }

  @Test("allSatisfy") func case95() {
    marbles(of: Int.self, outputs: ["p": false]) {
      "3--1-5--2-|"
      $0[0].allSatisfy { $0 < 4 }
      "-----(p|)"
    }
  }

  @Test("allSatisfy, even") func case96() {
    marbles(of: Int.self, outputs: ["p": false]) {
      "3--1-5--2-|"
      $0[0].allSatisfy { $0.isMultiple(of: 2) }
      "(p|)"
    }
  }

  @Test("allSatisfy, zero") func case97() {
    marbles(of: Int.self, outputs: ["p": false]) {
      "3--1-5--2-|"
      $0[0].allSatisfy { $0 == 0 }
      "(p|)"
    }
  }

  @Test("replaceEmpty") func case98() {
    marbles {
      "------|"
      $0[0].replaceEmpty(with: "x")
      "------(x|)"
    }
  }

  @Test("collect-count") func case99() {
    marbles(outputs: ["p": ["a", "b"], "q": ["c", "d"], "r": ["e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(2)
      "-p-----q---r--|"
    }
  }

  @Test("collect-count, 3") func case100() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["d", "e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(3)
      "---p-------q--|"
    }
  }

  @Test("collect-every") func case101() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["c", "d", "e"], "r": ["e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(3, every: 2)
      "---p-----q----(r|)"
    }
  }

  @Test("collect-every, 4") func case102() {
    marbles(outputs: ["p": ["a", "b", "c", "d"], "q": ["c", "d", "e", "f"], "r": ["e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(4, every: 2)
      "-------p---q--(r|)"
    }
  }

  @Test("collect-every, 3") func case103() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["d", "e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(3, every: 3)
      "---p-------q--|"
    }
  }

  @Test("collect-byTime") func case104() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["d"], "r": ["e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(.byTime($0.scheduler, 4))
      "----p---q---r-|"
    }
  }

  @Test("collect-byTime, 5") func case105() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["d", "e"], "r": ["f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(.byTime($0.scheduler, 5))
      "-----p----q---(r|)"
    }
  }

  @Test("collect-byTimeOrCount") func case106() {
    marbles(outputs: ["p": ["a", "b"], "q": ["c"], "r": ["d"], "s": ["e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(.byTimeOrCount($0.scheduler, 4, 2))
      "-p--q---r--s--|"
    }
  }

  @Test("collect-byTimeOrCount, 5") func case107() {
    marbles(outputs: ["p": ["a", "b"], "q": ["c"], "r": ["d", "e"], "s": ["f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(.byTimeOrCount($0.scheduler, 5, 2))
      "-p---q---r----(s|)"
    }
  }

  @Test("collect-byTimeOrCount, 3") func case108() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["d"], "r": ["e", "f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(.byTimeOrCount($0.scheduler, 4, 3))
      "---p----q---r-|"
    }
  }

  @Test("collect-for-every") func case109() {
    marbles(
      outputs: ["p": ["a", "b", "c"], "q": ["c"], "r": ["d"], "s": ["d", "e"], "t": ["e", "f"], "u": ["f"]]
    ) {
      "ab-c---d-e-f--|"
      $0[0].collect(for: 4, every: 2, scheduler: $0.scheduler)
      "----p-q-r-s-t-(u|)"
    }
  }

  @Test("collect-for-every, 5") func case110() {
    marbles(
      outputs: [
        "p": ["a", "b", "c"],
        "q": ["c", "d"],
        "r": ["d", "e"],
        "s": ["d", "e", "f"],
        "t": ["e", "f"],
        "u": ["f"],
      ]
    ) {
      "ab-c---d-e-f--|"
      $0[0].collect(for: 5, every: 2, scheduler: $0.scheduler)
      "-----p-q-r-s-t(u|)"
    }
  }

  @Test("collect-for-every, 3") func case111() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["d"], "r": ["d", "e"], "s": ["f"]]) {
      "ab-c---d-e-f--|"
      $0[0].collect(for: 4, every: 3, scheduler: $0.scheduler)
      "----p--q--r--s|"
    }
  }

  @Test("window-every") func case112() {
    marbles {
      "ab-c---d-e-f--|"
      $0[0].window(3, every: 3).flatMap { $0.last() }
      "---c-------f--|"
    }
  }

  @Test("window-every, 4") func case113() {
    marbles {
      "ab-c---d-e-f--|"
      $0[0].window(4, every: 3).flatMap { $0.last() }
      "-------d------(f|)"
    }
  }

  @Test("window-every, 4") func case114() {
    marbles {
      "ab-c---d-e-f--|"
      $0[0].window(3, every: 4).flatMap { $0.last() }
      "---c----------(f|)"
    }
  }

  @Test("window-for-every") func case115() {
    marbles {
      "ab-c---d-e-f--|"
      $0[0].window(for: 4, every: 4, scheduler: $0.scheduler).flatMap { $0.count() }
      "----3---1---2-(0|)"
    }
  }

  @Test("window-for-every, 5") func case116() {
    marbles {
      "ab-c---d-e-f--|"
      $0[0].window(for: 5, every: 4, scheduler: $0.scheduler).flatMap { $0.count() }
      "-----3---2---2(0|)"
    }
  }

  @Test("window-for-every, 5") func case117() {
    marbles {
      "ab-c---d-e-f--|"
      $0[0].window(for: 4, every: 5, scheduler: $0.scheduler).flatMap { $0.count() }
      "----3----2----(1|)"
    }
  }

  @Test("groupBy") func case118() {
    marbles(outputs: ["a": "a", "b": "b", "p": "aA", "q": "bB", "r": "aAa"]) {
      "a-b-A--B-a--|"
      $0[0].groupBy { $0.lowercased() }.flatMap { $0.scan("") { $0 + $1 } }
      "a-b-p--q-r--|"
    }
  }

  @Test("flatMap") func case119() {
    marbles {
      "x--y------z------|"
      "--1-2-3|"
      "--a-b-c|"
      "--p-q-r|"
      $0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]
        .flatMap { $0 }
      "--1-2a3b-c--p-q-r|"
    }
  }

  @Test("flatMap-maxPublishers") func case120() {
    marbles {
      "x--y------z------|"
      "--1-2-3|"
      "--a-b-c|"
      "--p-q-r|"
      $0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]
        .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { $0 }
      "--1-2-3--a-b-c--p-q-r|"
    }
  }

  @Test("flatMap-maxPublishers, 2") func case121() {
    marbles {
      "x--y------z------|"
      "--1-2-3|"
      "--a-b-c|"
      "--p-q-r|"
      $0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]
        .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(2)) { $0 }
      "--1-2a3b-c--p-q-r|"
    }
  }

  @Test("concatMap") func case122() {
    marbles {
      "x--y------z------|"
      "--1-2-3|"
      "--a-b-c|"
      "--p-q-r|"
      $0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]
        .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
        .concatMap { $0 }
      "--1-2-3--a-b-c--p-q-r|"
    }
  }

  @Test("switchToLatest") func case123() {
    marbles {
      "x--y------z------|"
      "--1-2-3|"
      "--a-b-c|"
      "--p-q-r|"
      $0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]
        .switchToLatest()
      "--1--a-b-c--p-q-r|"
    }
  }

  @Test("flatMapLatest") func case124() {
    marbles {
      "x--y------z------|"
      "--1-2-3|"
      "--a-b-c|"
      "--p-q-r|"
      $0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]
        .flatMapLatest { $0 }
      "--1--a-b-c--p-q-r|"
    }
  }

  @Test("exhaustMap") func case125() {
    marbles {
      "x--y------z------|"
      "--1-2-3|"
      "--a-b-c|"
      "--p-q-r|"
      $0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]
        .exhaustMap { $0 }
      "--1-2-3-----p-q-r|"
    }
  }

  @Test("merge") func case126() {
    marbles {
      "a---b-----c----|"
      "--1----2-----|"
      $0[0].merge(with: $0[1])
      "a-1-b--2--c----|"
    }
  }

  @Test("combineLatest") func case127() {
    marbles(outputs: ["p": "a1", "q": "b1", "r": "b2", "s": "c2"]) {
      "a---b-----c----|"
      "--1----2-----|"
      $0[0].combineLatest($0[1]) { $0 + $1 }
      "--p-q--r--s----|"
    }
  }

  @Test("zip") func case128() {
    marbles(outputs: ["p": "a1", "q": "b2"]) {
      "a---b-----c----|"
      "--1----2-----|"
      $0[0].zip($0[1]) { $0 + $1 }
      "--p----q-----|"
    }
  }

  @Test("merge-all") func case129() {
    marbles {
      "a-------b-----------c---------|"
      "----1---------2-----------|"
      "--------x-----------y-----|"
      [$0[0], $0[1], $0[2]].merge()
      "a---1---(bx)--2-----(cy)------|"
    }
  }

  @Test("combineLatest-all") func case130() {
    marbles(outputs: ["p": ["b", "1", "x"], "q": ["b", "2", "x"], "r": ["c", "2", "x"], "s": ["c", "2", "y"]]) {
      "a---b-----c----|"
      "--1----2-----|"
      "----x-----y--|"
      [$0[0], $0[1], $0[2]].combineLatest()
      "----p--q--(rs)-|"
    }
  }

  @Test("zip-all") func case131() {
    marbles(outputs: ["p": ["a", "1", "x"], "q": ["b", "2", "y"]]) {
      "a---b-----c----|"
      "--1----2-----|"
      "----x-----y--|"
      [$0[0], $0[1], $0[2]].zip()
      "----p-----q--|"
    }
  }

  @Test("withLatest-of") func case132() {
    marbles(outputs: ["p": "b1", "q": "c2"]) {
      "a---b-----c----|"
      "--1----2-----|"
      $0[0].withLatest(of: $0[1]) { $0 + $1 }
      "----p-----q----|"
    }
  }

  @Test("sample-by") func case133() {
    marbles {
      "a---b-----c----|"
      "--1----2-----|"
      $0[0].sample(by: $0[1])
      "--a----b-----|"
    }
  }

  @Test("append") func case134() {
    marbles {
      "a--b-c--|"
      "-1--2-|"
      $0[0].append($0.cold(1))
      "a--b-c---1--2-|"
    }
  }

  @Test("prepend") func case135() {
    marbles {
      "a--b-c--|"
      "-1--2-|"
      $0.cold(0).prepend($0.cold(1))
      "-1--2-a--b-c--|"
    }
  }

  @Test("amb") func case136() {
    marbles {
      "---a-b-c--|"
      "--1---2---3-|"
      $0[0].amb($0[1])
      "--1---2---3-|"
    }
  }

  @Test("debounce") func case137() {
    marbles {
      "abc-------d-----|"
      $0[0].debounce(for: 4, scheduler: $0.scheduler)
      "------c-------d-|"
    }
  }

  @Test("debounce, 5") func case138() {
    marbles {
      "abc-------d-----|"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "-------c-------d|"
    }
  }

  @Test("throttle") func case139() {
    marbles {
      "abc-------d-----|"
      $0[0].throttle(for: 4, scheduler: $0.scheduler, latest: true)
      "a---c-----d-----|"
    }
  }

  @Test("throttle, 5") func case140() {
    marbles {
      "abc-------d-----|"
      $0[0].throttle(for: 5, scheduler: $0.scheduler, latest: true)
      "a----c----d-----|"
    }
  }

  @Test("throttle, no") func case141() {
    marbles {
      "abc-------d-----|"
      $0[0].throttle(for: 4, scheduler: $0.scheduler, latest: false)
      "a---b-----d-----|"
    }
  }

  @Test("throttle-until") func case142() {
    marbles {
      "abc-------d-----|"
      "---x-|"
      $0[0].throttle(latest: true) { [window = $0.cold(1)] _ in window }
      "a--c------d-----|"
    }
  }

  @Test("throttle-until, no") func case143() {
    marbles {
      "abc-------d-----|"
      "---x-|"
      $0[0].throttle(latest: false) { [window = $0.cold(1)] _ in window }
      "a--b------d-----|"
    }
  }

  @Test("rateLimit") func case144() {
    marbles {
      "abc-------d-----|"
      $0[0].rateLimit(2, per: 4, scheduler: $0.scheduler)
      "ab--c-----d-----|"
    }
  }

  @Test("rateLimit, 3") func case145() {
    marbles {
      "abc-------d-----|"
      $0[0].rateLimit(3, per: 4, scheduler: $0.scheduler)
      "abc-------d-----|"
    }
  }

  @Test("rateLimit, 5") func case146() {
    marbles {
      "abc-------d-----|"
      $0[0].rateLimit(2, per: 5, scheduler: $0.scheduler)
      "ab---c----d-----|"
    }
  }

  @Test("delay") func case147() {
    marbles {
      "abc-------d-----|"
      $0[0].delay(for: 4, scheduler: $0.scheduler)
      "----abc-------d-----|"
    }
  }

  @Test("delay, 5") func case148() {
    marbles {
      "abc-------d-----|"
      $0[0].delay(for: 5, scheduler: $0.scheduler)
      "-----abc-------d-----|"
    }
  }

  @Test("delaySubscription") func case149() {
    marbles {
      "abc-------d-----|"
      $0[0].delaySubscription(for: 2, scheduler: $0.scheduler)
      "----------d-----|"
    }
  }

  @Test("delaySubscription, 3") func case150() {
    marbles {
      "abc-------d-----|"
      $0[0].delaySubscription(for: 3, scheduler: $0.scheduler)
      "----------d-----|"
    }
  }

  @Test("timeout") func case151() {
    marbles {
      "abc-------d-----|"
      $0[0].timeout(5, scheduler: $0.scheduler, customError: nil)
      "abc----|"
    }
  }

  @Test("timeout, 6") func case152() {
    marbles {
      "abc-------d-----|"
      $0[0].timeout(6, scheduler: $0.scheduler, customError: nil)
      "abc-----|"
    }
  }

  @Test("timeout, failure") func case153() {
    marbles {
      "abc-------d-----|"
      $0[0].timeout(5, scheduler: $0.scheduler, customError: { MarbleError() })
      "abc----#"
    }
  }

  @Test("timeout-first-next") func case154() {
    marbles {
      "--ab------c-----|"
      $0[0].timeout(first: 3, next: 5, scheduler: $0.scheduler, customError: { MarbleError() })
      "--ab----#"
    }
  }

  @Test("timeout-first-next, 4") func case155() {
    marbles {
      "--ab------c-----|"
      $0[0].timeout(first: 4, next: 5, scheduler: $0.scheduler, customError: { MarbleError() })
      "--ab----#"
    }
  }

  @Test("timeout-first-next, 6") func case156() {
    marbles {
      "--ab------c-----|"
      $0[0].timeout(first: 3, next: 6, scheduler: $0.scheduler, customError: { MarbleError() })
      "--ab-----#"
    }
  }

  @Test("timeout-first-next, none") func case157() {
    marbles {
      "--ab------c-----|"
      $0[0].timeout(first: 3, next: 5, scheduler: $0.scheduler, customError: nil)
      "--ab----|"
    }
  }

  @Test("timeout-first-fallback") func case158() {
    marbles {
      "--ab------c-----|"
      "-1-2-|"
      $0[0].timeout(first: 3, next: 5, scheduler: $0.scheduler, fallback: $0.cold(1))
      "--ab-----1-2-|"
    }
  }

  @Test("timeout-first-fallback, 4") func case159() {
    marbles {
      "--ab------c-----|"
      "-1-2-|"
      $0[0].timeout(first: 4, next: 5, scheduler: $0.scheduler, fallback: $0.cold(1))
      "--ab-----1-2-|"
    }
  }

  @Test("timeout-first-fallback, 6") func case160() {
    marbles {
      "--ab------c-----|"
      "-1-2-|"
      $0[0].timeout(first: 3, next: 6, scheduler: $0.scheduler, fallback: $0.cold(1))
      "--ab------1-2-|"
    }
  }

  @Test("measureInterval") func case161() {
    marbles {
      "abc-------d-----|"
      $0[0].measureInterval(using: $0.scheduler).map(\.ticks)
      "011-------8-----|"
    }
  }

  @Test("catch") func case162() {
    marbles {
      "a--b-#"
      "--1-2|"
      $0[0].catch { [other = $0.cold(1)] _ in other }
      "a--b---1-2|"
    }
  }

  @Test("catch-ErrorType-self") func case163() {
    marbles {
      "a--b-#"
      "--1-2|"
      $0[0].catch(MarbleError.self) { [other = $0.cold(1)] _ in other }
      "a--b---1-2|"
    }
  }

  @Test("fallback") func case164() {
    marbles {
      "a--b-#"
      "--1-2|"
      $0[0].fallback(to: $0.cold(1))
      "a--b---1-2|"
    }
  }

  @Test("replaceError") func case165() {
    marbles {
      "a--b-#"
      $0[0].replaceError(with: "x")
      "a--b-(x|)"
    }
  }

  @Test("ignoreFailure") func case166() {
    marbles {
      "a--b-#"
      $0[0].ignoreFailure()
      "a--b-|"
    }
  }

  @Test("retry") func case167() {
    marbles {
      "a--b-#"
      $0.cold(0).retry(2)
      "a--b-a--b-a--b-#"
    }
  }

  @Test("retry, 3") func case168() {
    marbles {
      "a--b-#"
      $0.cold(0).retry(3)
      "a--b-a--b-a--b-a--b-#"
    }
  }

  @Test("retry-policy") func case169() {
    marbles {
      "a--b-#"
      $0.cold(0)
        .retry(.constant(.milliseconds(3), maxRetries: 2), scheduler: $0.scheduler)
      "a--b----a--b----a--b-#"
    }
  }

  @Test("retry-policy, 4") func case170() {
    marbles {
      "a--b-#"
      $0.cold(0)
        .retry(.constant(.milliseconds(4), maxRetries: 2), scheduler: $0.scheduler)
      "a--b-----a--b-----a--b-#"
    }
  }

  @Test("retry-policy, 3") func case171() {
    marbles {
      "a--b-#"
      $0.cold(0)
        .retry(.constant(.milliseconds(3), maxRetries: 3), scheduler: $0.scheduler)
      "a--b----a--b----a--b----a--b-#"
    }
  }

  @Test("retryWhen") func case172() {
    marbles {
      "a--#"
      "------1----2--|"
      $0.cold(0).retryWhen { [again = $0[1]] _ in again }
      "a-----a----a--|"
    }
  }

  @Test("mapToResult") func case173() {
    marbles(outputs: ["p": .success("a"), "q": .success("b"), "r": .failure(MarbleError())]) {
      "a--b-#"
      $0[0].mapToResult()
      "p--q-(r|)"
    }
  }

  @Test("materialize") func case174() {
    marbles(
      outputs: ["p": ".subscribe", "q": ".input(a)", "r": ".input(b)", "s": ".completion(failure(MarbleError))"]
    ) {
      "a-----b---#"
      $0[0].materialize().map { "\($0)" }
      "(pq)--r---(s|)"
    }
  }

  @Test("receive-on") func case175() {
    marbles {
      "a--b-c--|"
      $0[0].receive(on: $0.scheduler)
      "a--b-c--|"
    }
  }

  @Test("subscribe-on") func case176() {
    marbles {
      "a--b-c--|"
      $0[0].subscribe(on: $0.scheduler)
      "---b-c--|"
    }
  }

  @Test("buffer") func case177() {
    marbles {
      "abcd--------|"
      $0[0]
        .buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: 3, scheduler: clock) }
      "---a--b--c--|"
    }
  }

  @Test("buffer, 3") func case178() {
    marbles {
      "abcd--------|"
      $0[0]
        .buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: 3, scheduler: clock) }
      "---a--b--c--(d|)"
    }
  }

  @Test("buffer, dropNewest") func case179() {
    marbles {
      "abcd--------|"
      $0[0]
        .buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)
        .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: 3, scheduler: clock) }
      "---a--b--c--|"
    }
  }

  @Test("buffer, 4") func case180() {
    marbles {
      "abcd--------|"
      $0[0]
        .buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: 4, scheduler: clock) }
      "----a---b---(c|)"
    }
  }

  @Test("share") func case181() {
    marbles {
      "a-----b---c-----|"
      [$0.cold(0).share()].flatMap { [$0, $0] }.merge()
      "(aa)--(bb)(cc)--|"
    }
  }

  @Test("share-replay-scope") func case182() {
    marbles {
      "a---b-----c-----d-----|"
      [$0.cold(0).share(replay: 1, scope: .forever)]
        .flatMap { [clock = $0.scheduler] in
          [$0, $0.delaySubscription(for: 12, scheduler: clock).eraseToAnyPublisher()]
        }
        .merge()
      "a---b-----c-c---(dd)--|"
    }
  }

  @Test("share-replay-scope, 2") func case183() {
    marbles {
      "a---b-----c-----d-----|"
      [$0.cold(0).share(replay: 2, scope: .forever)]
        .flatMap { [clock = $0.scheduler] in
          [$0, $0.delaySubscription(for: 12, scheduler: clock).eraseToAnyPublisher()]
        }
        .merge()
      "a---b-----c-(bc)(dd)--|"
    }
  }

  @Test("share-replay-scope, 7") func case184() {
    marbles {
      "a---b-----c-----d-----|"
      [$0.cold(0).share(replay: 1, scope: .forever)]
        .flatMap { [clock = $0.scheduler] in
          [$0, $0.delaySubscription(for: 14, scheduler: clock).eraseToAnyPublisher()]
        }
        .merge()
      "a---b-----c---c-(dd)--|"
    }
  }

  @Test("repeat") func case185() {
    marbles {
      "-a-b-|"
      $0.cold(0).repeat(3)
      "-a-b--a-b--a-b-|"
    }
  }

  @Test("repeat, 4") func case186() {
    marbles {
      "-a-b-|"
      $0.cold(0).repeat(4)
      "-a-b--a-b--a-b--a-b-|"
    }
  }

  @Test("repeat-endless") func case187() {
    marbles {
      "-a-b-|"
      $0.cold(0).repeat()
      "-a-b--a-b--a-b--a-b--a-b--a-!"
    }
  }

  @Test("append-picture") func case188() {
    marbles {
      "a--b--|"
      $0[0].append("x", "y")
      "a--b--(xy|)"
    }
  }

  @Test("buffer-picture") func case189() {
    marbles {
      "abcd---|"
      $0[0]
        .buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: 3, scheduler: clock) }
      "---a--c--(d|)"
    }
  }

  @Test("buffer-picture, 4") func case190() {
    marbles {
      "abcd---|"
      $0[0]
        .buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: 4, scheduler: clock) }
      "----a---c---(d|)"
    }
  }

  @Test("catch-picture") func case191() {
    marbles {
      "a--b--#"
      "--x--y|"
      $0[0].catch { [other = $0.cold(1)] _ in other }
      "a--b----x--y|"
    }
  }

  @Test("combineLatest-picture") func case192() {
    marbles(outputs: ["p": "a1", "q": "b1", "r": "b2"]) {
      "a----b----|"
      "--1-----2----|"
      $0[0].combineLatest($0[1]).map { $0 + $1 }
      "--p--q--r----|"
    }
  }

  @Test("contains-picture") func case193() {
    marbles(outputs: ["p": true]) {
      "a--b--c--|"
      $0[0].contains("b")
      "---(p|)"
    }
  }

  @Test("contains-where-picture") func case194() {
    marbles(of: Int.self, outputs: ["p": true]) {
      "1--3--2--|"
      $0[0].contains { $0 > 2 }
      "---(p|)"
    }
  }

  @Test("drop-while-picture") func case195() {
    marbles(of: Int.self) {
      "1--2--3--2--1--|"
      $0[0].drop { $0 < 3 }
      "------3--2--1--|"
    }
  }

  @Test("filter-picture") func case196() {
    marbles(of: Int.self) {
      "1--7--3--8--|"
      $0[0].filter { $0 > 5 }
      "---7-----8--|"
    }
  }

  @Test("first-where-picture") func case197() {
    marbles(of: Int.self) {
      "1--2--3--4--|"
      $0[0].first { $0 > 2 }
      "------(3|)"
    }
  }

  @Test("flatMap-picture") func case198() {
    marbles {
      "a--b-#"
      "-1-2|"
      $0[0].flatMap { [inner = $0.cold(1).assertNoFailure()] _ in inner }
      "-1-21#"
    }
  }

  @Test("last-where-picture") func case199() {
    marbles(of: Int.self) {
      "1--2--3--|"
      $0[0].last { $0 < 3 }
      "---------(2|)"
    }
  }

  @Test("map-picture") func case200() {
    marbles(of: Int.self) {
      "1--2--3--|"
      $0[0].map { $0 * 2 }
      "2--4--6--|"
    }
  }

  @Test("measureInterval-picture") func case201() {
    marbles {
      "--a---b-c--|"
      $0[0].measureInterval(using: $0.scheduler).map(\.ticks)
      "--2---4-2--|"
    }
  }

  @Test("output-in-picture") func case202() {
    marbles {
      "a--b--c--d--|"
      $0[0].output(in: 1...2)
      "---b--(c|)"
    }
  }

  @Test("prefix-while-picture") func case203() {
    marbles(of: Int.self) {
      "1--2--3--2--1--|"
      $0[0].prefix { $0 < 3 }
      "1--2--|"
    }
  }

  @Test("prepend-picture") func case204() {
    marbles(of: Int.self) {
      "-----3--4--|"
      $0[0].prepend(1...2)
      "(12)-3--4--|"
    }
  }

  @Test("replaceEmpty-picture") func case205() {
    marbles {
      "------|"
      $0[0].replaceEmpty(with: "z")
      "------(z|)"
    }
  }

  @Test("replaceError-picture") func case206() {
    marbles {
      "a--b--#"
      $0[0].replaceError(with: "z")
      "a--b--(z|)"
    }
  }

  @Test("share-picture") func case207() {
    marbles {
      "--a-----b-----|"
      let shared = $0.cold(0).share()
      shared.merge(with: shared)
      "--(aa)--(bb)--|"
    }
  }

  @Test("switchToLatest-picture") func case208() {
    marbles {
      "a---b---|"
      "-1-2-3|"
      $0[0].assertNoFailure()
        .map { [inner = $0.cold(1).assertNoFailure()] _ in inner }
        .switchToLatest()
      "-1-2-1-2-3|"
    }
  }

  @Test("timeout-picture") func case209() {
    marbles {
      "a--b--------c--|"
      $0[0].timeout(5, scheduler: $0.scheduler)
      "a--b----|"
    }
  }

  @Test("timeout-picture, 6") func case210() {
    marbles {
      "a--b--------c--|"
      $0[0].timeout(6, scheduler: $0.scheduler)
      "a--b-----|"
    }
  }

  @Test("tryMap-picture") func case211() {
    marbles {
      "1--2--x--3--|"
      $0[0].tryMap { text in
        guard let number = Int(text) else { throw MarbleError() }
        return number
      }
      "1--2--#"
    }
  }

  @Test("tryScan-picture") func case212() {
    marbles(of: Int.self) {
      "2--4--5--1--|"
      $0[0].tryScan(9) { balance, payment in
        guard payment <= balance else { throw MarbleError() }
        return balance - payment
      }
      "7--3--#"
    }
  }

  @Test("zip-picture") func case213() {
    marbles(outputs: ["p": "a1", "q": "b2"]) {
      "a--b-----c--d--|"
      "----1--2---|"
      $0[0].zip($0[1]).map { $0 + $1 }
      "----p--q---|"
    }
  }

  @Test("catch-ErrorType-self-picture") func case214() {
    marbles {
      "a--b--#"
      $0[0].catch(MarbleError.self) { _ in Just("z").setFailureType(to: MarbleError.self) }
      "a--b--(z|)"
    }
  }

  @Test("collect-for-every-picture") func case215() {
    marbles(outputs: ["p": ["a", "b"], "q": ["c"], "r": ["d"]]) {
      "-a-b--c---------d-|"
      $0[0].collect(for: 5, scheduler: $0.scheduler)
      "-----p----q-------(r|)"
    }
  }

  @Test("collect-for-every-picture, 6") func case216() {
    marbles(outputs: ["p": ["a", "b", "c"], "q": ["d"]]) {
      "-a-b--c---------d-|"
      $0[0].collect(for: 6, scheduler: $0.scheduler)
      "------p-----------(q|)"
    }
  }

  @Test("concatMap-picture") func case217() {
    marbles {
      "a-b----|"
      "-1-2|"
      $0[0].buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest)
        .concatMap { [inner = $0.cold(1)] _ in inner }
      "-1-2-1-2|"
    }
  }

  @Test("enumerated-picture") func case218() {
    marbles(outputs: ["p": "0a", "q": "1b", "r": "2c"]) {
      "a--b--c--|"
      $0[0].enumerated().map { "\($0.index)\($0.element)" }
      "p--q--r--|"
    }
  }

  @Test("exhaustMap-picture") func case219() {
    marbles {
      "a--b-----c------|"
      "-1-2-3|"
      $0[0].exhaustMap { [inner = $0.cold(1)] _ in inner }
      "-1-2-3----1-2-3-|"
    }
  }

  @Test("fallback-picture") func case220() {
    marbles {
      "a--b--#"
      "x--y---z|"
      $0[0].fallback(to: $0[1])
      "a--b---z|"
    }
  }

  @Test("flatMapLatest-picture") func case221() {
    marbles {
      "a---b--|"
      "-1-2-3|"
      $0[0].flatMapLatest { [inner = $0.cold(1)] _ in inner }
      "-1-2-1-2-3|"
    }
  }

  @Test("groupBy-picture") func case222() {
    marbles(of: Int.self, outputs: ["p": "odd 1", "q": "even 2", "r": "odd 3"]) {
      "1--2--3--|"
      $0[0].groupBy { $0.isMultiple(of: 2) ? "even" : "odd" }
        .flatMap { group in group.map { "\(group.key) \($0)" } }
      "p--q--r--|"
    }
  }

  @Test("materialize-picture") func case223() {
    marbles(outputs: ["p": ".subscribe", "q": ".input(a)", "r": ".completion(finished)"]) {
      "--a--|"
      $0[0].materialize().map { "\($0)" }
      "p-q--(r|)"
    }
  }

  @Test("partition-picture") func case224() {
    marbles(of: Int.self) {
      "1--2--3--4--|"
      $0[0].partition { $0.isMultiple(of: 2) }.matches
      "---2-----4--|"
    }
  }

  @Test("prefix-while-behavior-picture") func case225() {
    marbles(of: Int.self) {
      "0-2-4-5-6-|"
      $0[0].prefix(while: { $0.isMultiple(of: 2) }, behavior: .inclusive)
      "0-2-4-(5|)"
    }
  }

  @Test("retry-policy-picture") func case226() {
    marbles {
      "-a-#"
      $0.cold(0).retry(.constant(.milliseconds(2), maxRetries: 1), scheduler: $0.scheduler)
      "-a----a-#"
    }
  }

  @Test("retry-policy-picture, 3") func case227() {
    marbles {
      "-a-#"
      $0.cold(0).retry(.constant(.milliseconds(3), maxRetries: 1), scheduler: $0.scheduler)
      "-a-----a-#"
    }
  }

  @Test("retryWhen-picture") func case228() {
    marbles {
      "-a-#"
      "-----x----|"
      $0.cold(0).retryWhen { [trigger = $0[1]] _ in trigger }
      "-a----a---|"
    }
  }

  @Test("share-replay-scope-picture") func case229() {
    marbles {
      "-a----b---|"
      let shared = $0[0].share(replay: 1, scope: .whileSubscribed)
      let second = shared.delaySubscription(for: 3, scheduler: $0.scheduler)
      shared.merge(with: second.map { $0.uppercased() })
      "-a-A--(bB)|"
    }
  }

  @Test("share-replay-scope-picture, 4") func case230() {
    marbles {
      "-a----b---|"
      let shared = $0[0].share(replay: 1, scope: .whileSubscribed)
      let second = shared.delaySubscription(for: 4, scheduler: $0.scheduler)
      shared.merge(with: second.map { $0.uppercased() })
      "-a--A-(bB)|"
    }
  }

  @Test("throttle-until-picture") func case231() {
    marbles {
      "ab-c-----d--|"
      "----x----x---"
      $0[0].throttle(latest: false) { [window = $0[1]] _ in window }
      "a---b----d--|"
    }
  }

  @Test("timeout-first-next-picture") func case232() {
    marbles {
      "----a-b------c-|"
      $0[0].timeout(first: 5, next: 3, scheduler: $0.scheduler)
      "----a-b--|"
    }
  }

  @Test("timeout-first-next-picture, 6") func case233() {
    marbles {
      "----a-b------c-|"
      $0[0].timeout(first: 6, next: 3, scheduler: $0.scheduler)
      "----a-b--|"
    }
  }

  @Test("timeout-first-next-picture, 4") func case234() {
    marbles {
      "----a-b------c-|"
      $0[0].timeout(first: 5, next: 4, scheduler: $0.scheduler)
      "----a-b---|"
    }
  }

  @Test("timeout-first-fallback-picture") func case235() {
    marbles {
      "-------a--|"
      "----x-y-z-|"
      $0[0].timeout(first: 5, scheduler: $0.scheduler, fallback: $0[1])
      "------y-z-|"
    }
  }

  @Test("timeout-first-fallback-picture, 6") func case236() {
    marbles {
      "-------a--|"
      "----x-y-z-|"
      $0[0].timeout(first: 6, scheduler: $0.scheduler, fallback: $0[1])
      "--------z-|"
    }
  }

  @Test("window-every-picture") func case237() {
    marbles(outputs: ["p": "0a", "q": "0b", "r": "1c", "s": "1d", "t": "2e"]) {
      "a-b-c-d-e-|"
      $0[0].window(2).enumerated().flatMap { window in window.element.map { "\(window.index)\($0)" } }
      "p-q-r-s-t-|"
    }
  }

  @Test("window-for-every-picture") func case238() {
    marbles(outputs: ["p": "0a", "q": "0b", "r": "1c", "s": "3d"]) {
      "-a-b--c---------d-|"
      $0[0].window(for: 5, scheduler: $0.scheduler).enumerated()
        .flatMap { window in window.element.map { "\(window.index)\($0)" } }
      "-p-q--r---------s-|"
    }
  }

  @Test("window-for-every-picture, 6") func case239() {
    marbles(outputs: ["p": "0a", "q": "0b", "r": "0c", "s": "2d"]) {
      "-a-b--c---------d-|"
      $0[0].window(for: 6, scheduler: $0.scheduler).enumerated()
        .flatMap { window in window.element.map { "\(window.index)\($0)" } }
      "-p-q--r---------s-|"
    }
  }

  @Test("withLatest-of-picture") func case240() {
    marbles {
      "-1-2---3-4---5-|"
      "-----a-----b----"
      $0[0].withLatest(of: $0[1])
      "-------a-a---b-|"
    }
  }

  @Test("combineLatest-all-picture") func case241() {
    marbles(outputs: ["p": "ax", "q": "bx", "r": "by"]) {
      "a---b----|"
      "--x---y---|"
      [$0[0], $0[1]].combineLatest().map { $0.joined() }
      "--p-q-r---|"
    }
  }

  @Test("merge-all-picture") func case242() {
    marbles {
      "a---b----|"
      "--x---y---|"
      [$0[0], $0[1]].merge()
      "a-x-b-y---|"
    }
  }

  @Test("zip-all-picture") func case243() {
    marbles(outputs: ["p": "ax", "q": "by"]) {
      "a-b------|"
      "--x---y---|"
      [$0[0], $0[1]].zip().map { $0.joined() }
      "--p---q--|"
    }
  }
}
