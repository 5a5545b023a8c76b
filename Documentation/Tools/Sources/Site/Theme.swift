/// The colors of a picture.
public struct Theme: Sendable {

  public let ink: String
  public let line: String
  public let box: String
  public let border: String

  public static let light = Theme(ink: "#1d1d1f", line: "#6e6e73", box: "#f5f5f7", border: "#c7c7cc")
  public static let dark = Theme(ink: "#f5f5f7", line: "#a1a1a6", box: "#2c2c2e", border: "#545458")

  /// A fill of a marble, and the color of the letter on it.
  public typealias Fill = (marble: String, letter: String)

  /// The colors of Okabe and Ito, which people with any kind of color vision can tell apart. Each marble also has its
  /// letter.
  static let fills: [Fill] = [
    ("#56b4e9", "#000000"), ("#e69f00", "#000000"), ("#009e73", "#000000"), ("#f0e442", "#000000"),
    ("#cc79a7", "#000000"), ("#0072b2", "#ffffff"), ("#d55e00", "#000000"),
  ]
}
