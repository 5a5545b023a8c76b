import CombineCore

let subject = PassthroughSubject<Int, Never>()
let cancellable = subject.map { $0 * 2 }.filter { $0 > 2 }.sink { print($0) }
for value in 1...3 { subject.send(value) }
