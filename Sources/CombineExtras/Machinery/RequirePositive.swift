/// Ends the process if an argument is not positive. Release builds print the message, too.
///
/// - Parameters:
///   - number: The argument.
///   - name: The operator and the argument, as in `RateLimit: count`.
///   - file: The file of the operator, which the message begins with.
///   - line: The line in that file.
@inline(never)
@usableFromInline
package func requirePositive(_ number: Int, _ name: String, file: StaticString = #fileID, line: UInt = #line) {
  if number <= 0 { fatalError("\(name) must be positive, is \(number)", file: file, line: line) }
}

/// Ends the process if an argument is negative. Release builds print the message, too.
///
/// - Parameters:
///   - number: The argument.
///   - name: The operator and the argument, as in `Suffix: maxLength`.
///   - file: The file of the operator, which the message begins with.
///   - line: The line in that file.
@inline(never)
@usableFromInline
func requireNonNegative(_ number: Int, _ name: String, file: StaticString = #fileID, line: UInt = #line) {
  if number < 0 { fatalError("\(name) must not be negative, is \(number)", file: file, line: line) }
}
