/// Ends the process if an argument is not positive. Release builds print the message, too.
///
/// - Parameters:
///   - number: The argument.
///   - name: The operator and the argument, as in `RateLimit: count`.
@inline(never)
@usableFromInline
package func requirePositive(_ number: Int, _ name: String) {
  if number <= 0 { fatalError("\(name) must be positive, is \(number)") }
}

/// Ends the process if an argument is negative. Release builds print the message, too.
///
/// - Parameters:
///   - number: The argument.
///   - name: The operator and the argument, as in `Suffix: maxLength`.
@inline(never)
@usableFromInline
func requireNonNegative(_ number: Int, _ name: String) {
  if number < 0 { fatalError("\(name) must not be negative, is \(number)") }
}
