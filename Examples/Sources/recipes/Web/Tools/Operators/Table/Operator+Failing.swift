@_spi(Diagrams) import CombineTesting

extension Operator {

  static let failing = Group("Handle failures") {
    Operator("catch", "a--b-*", "--1-2~", code: "$0[0].catch { [other = $0.cold(1)] _ in other }") { context, _ in
      context[0].catch { [other = context.cold(1)] _ in other }
    }
    Operator(
      "catch(ErrorType.self)",
      "a--b-*",
      "--1-2~",
      code: "$0[0].catch(MarbleError.self) { [other = $0.cold(1)] _ in other }"
    ) { context, _ in
      context[0].catch(MarbleError.self) { [other = context.cold(1)] _ in other }
    }
    Operator("fallback", "a--b-*", "--1-2~", code: "$0[0].fallback(to: $0.cold(1))") { context, _ in
      let other = context.cold(1)
      return context[0].fallback(to: other)
    }
    Operator("replaceError", "a--b-*", code: #"$0[0].replaceError(with: "x")"#) { context, _ in
      context[0].replaceError(with: "x")
    }
    Operator("ignoreFailure", "a--b-*", code: "$0[0].ignoreFailure()") { context, _ in context[0].ignoreFailure() }
    Operator("retry", "a--b-*", parameters: [.count("times", 2, in: 0...9)], code: "$0.cold(0).retry({times})") {
      $0.cold(0).retry($1.count("times"))
    }
    Operator(
      "retry(policy)",
      "a--b-*",
      parameters: [.interval("pause", 3), .count("times", 2, in: 0...9)],
      code: """
        $0.cold(0)
          .retry(.constant(.milliseconds({pause}), maxRetries: {times}), scheduler: $0.scheduler)
        """
    ) { context, settings in
      context.cold(0)
        .retry(
          .constant(.milliseconds(settings.ticks("pause").ticks), maxRetries: settings.count("times")),
          scheduler: context.scheduler
        )
    }
    Operator(
      "retryWhen",
      "a--*",
      "------1----2--~",
      code: "$0.cold(0).retryWhen { [again = $0[1]] _ in again }"
    ) { context, _ in
      context.cold(0).retryWhen { [again = context[1]] _ in again }
    }
    Operator("mapToResult", "a--b-*", code: "$0[0].mapToResult()") { context, _ in context[0].mapToResult() }
    Operator("materialize", "a--b-*", code: #"$0[0].materialize().map { "\($0)" }"#) { context, _ in
      context[0].materialize().map { "\($0)" }
    }
  }
}
