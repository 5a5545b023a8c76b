// The first scene of each operator of the page *Operators*, run in virtual time.

struct BadRequest: Error {

  let reason: String

  init(_ reason: String) { self.reason = reason }
}

var (drawn, all) = (0, 0)
for group in Operator.groups {
  for operation in group.operators {
    all += 1
    let run = try OperatorRun(query: [("op", operation.id)])
    print("\(operation.name): \(run.code)", run.meanings ?? "")
    print(run.output.map { "\($0.time) \($0.mark) \($0.text ?? "")" }.joined(separator: ", "), "until", run.end)
    if let problem = run.problem { print(problem) }
    if let test = run.test {
      drawn += 1
      print(test)
    }
  }
}
print("\(all) operators, \(drawn) of them as a test")
