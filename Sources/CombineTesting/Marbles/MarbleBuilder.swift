import CombineCore

/// A result builder that assembles a marble test from its lines: the inputs, the publisher, the expected output.
///
/// It lets ``marbles(outputs:failure:fileID:filePath:line:column:_:)`` read like a picture, and you need not name it.
/// It has few functions, so that type checking is fast.
@resultBuilder
public enum MarbleBuilder {

  /// Adds a line with a diagram.
  public static func buildExpression(_ diagram: String) -> MarbleLines {
    MarbleLines(texts: [diagram])
  }

  /// Adds the publisher under test.
  public static func buildExpression<P: Publisher>(_ publisher: P) -> MarbleTest<P> {
    MarbleTest(publisher: publisher)
  }

  /// Starts with a line.
  public static func buildPartialBlock<Line>(first: Line) -> Line {
    first
  }

  /// Appends an input.
  public static func buildPartialBlock(accumulated: MarbleLines, next: MarbleLines) -> MarbleLines {
    MarbleLines(texts: accumulated.texts + next.texts)
  }

  /// Combines the inputs with the publisher.
  public static func buildPartialBlock<P>(accumulated: MarbleLines, next: MarbleTest<P>) -> MarbleTest<P> {
    MarbleTest(inputs: accumulated.texts, publisher: next.publisher)
  }

  /// Appends the expected output, or after it the subscriptions of an input.
  public static func buildPartialBlock<P>(accumulated: MarbleTest<P>, next: MarbleLines) -> MarbleTest<P> {
    var test = accumulated
    test.expectations += next.texts
    return test
  }
}

/// The lines of a marble test, collected by the result builder.
public struct MarbleLines {

  let texts: [String]
}

/// A marble test, assembled by the result builder: inputs, publisher, expectations.
public struct MarbleTest<P: Publisher> {

  var inputs: [String] = []

  let publisher: P

  /// The diagram of the output, followed by those of the inputs' subscriptions, in the order of the inputs.
  var expectations: [String] = []
}
