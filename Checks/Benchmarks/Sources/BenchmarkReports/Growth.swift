/// The growth of a cost with an amount.
package struct Growth: Sendable {

  package struct Point: Sendable {

    package let amount: Int

    /// The cost in nanoseconds.
    package let cost: Double

    package init(amount: Int, cost: Double) {
      self.amount = amount
      self.cost = cost
    }
  }

  package struct Curve: Sendable {

    package let name: String
    package let points: [Point]

    package init(name: String, points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  package let title: String

  /// The names of the amount and of the cost's unit.
  package let amount: String
  package let cost: String

  package let curves: [Curve]

  package init(title: String, amount: String, cost: String, curves: [Curve]) {
    self.title = title
    self.amount = amount
    self.cost = cost
    self.curves = curves
  }

  /// The costs, and in brackets the cost for each unit of the amount. With linear growth, the latter stays the same
  /// from top to bottom.
  package var table: MarkdownTable {
    let amounts = curves.first?.points.map(\.amount) ?? []
    return MarkdownTable(
      header: [amount] + curves.map { "\($0.name), \(cost) (for each)" },
      rows: amounts.map { amount in
        [String(amount)]
          + curves.map { curve in
            guard let point = curve.points.first(where: { $0.amount == amount }) else { return "–" }
            return "\(point.cost.decimal(1)) (\((point.cost / Double(amount)).decimal(2)))"
          }
      },
      leading: 0
    )
  }
}
