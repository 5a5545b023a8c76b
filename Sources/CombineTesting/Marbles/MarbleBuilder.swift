import CombineCore

/// Puts the lines of a marble test together: the inputs, the publisher, the expected output.
///
/// It is what makes ``marbles(outputs:failure:fileID:filePath:line:column:_:)`` read like a picture; there is no need
/// to name it. Its functions are few, so that the compiler is quick.
@resultBuilder
public enum MarbleBuilder {

  /// Takes a line with a diagram.
  public static func buildExpression(_ diagram: String) -> MarbleLines {
    MarbleLines(texts: [diagram])
  }

  /// Takes the publisher under test.
  public static func buildExpression<P: Publisher>(_ publisher: P) -> MarbleTest<P> {
    MarbleTest(publisher: publisher)
  }

  /// Begins with a line.
  public static func buildPartialBlock<Line>(first: Line) -> Line {
    first
  }

  /// Adds another input.
  public static func buildPartialBlock(accumulated: MarbleLines, next: MarbleLines) -> MarbleLines {
    MarbleLines(texts: accumulated.texts + next.texts)
  }

  /// Adds the publisher to its inputs.
  public static func buildPartialBlock<P>(accumulated: MarbleLines, next: MarbleTest<P>) -> MarbleTest<P> {
    MarbleTest(inputs: accumulated.texts, publisher: next.publisher)
  }

  /// Adds the expected output, and behind it the subscriptions of the inputs.
  public static func buildPartialBlock<P>(accumulated: MarbleTest<P>, next: MarbleLines) -> MarbleTest<P> {
    var test = accumulated
    test.expectations += next.texts
    return test
  }
}

/// Lines of a marble test, as its result builder collects them.
public struct MarbleLines {

  let texts: [String]
}

/// A marble test, as its result builder puts it together: inputs, publisher, expectations.
public struct MarbleTest<P: Publisher> {

  var inputs: [String] = []

  let publisher: P

  /// The diagram of the output, and those of the subscriptions of inputs, in the inputs' order.
  var expectations: [String] = []
}
