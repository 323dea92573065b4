/// Makes random SQL++ queries that are always valid.
struct QueryMaker {
    private var maker: ExpressionMaker

    init(seed: UInt64) {
        maker = ExpressionMaker(Dice(seed: seed))
    }

    mutating func query() -> String {
        let from = sources()
        let isFiltered = maker.dice.chance(80)
        let condition = isFiltered ? " WHERE \(maker.expression(depth: 3))" : ""
        switch maker.dice.number(in: 0...9) {
        case 0...2: return grouped(from + condition)
        case 3: return distinct(from + condition)
        default: return plain(from + condition)
        }
    }

    // MARK: FROM

    private mutating func sources() -> String {
        maker.items = []
        maker.sources = [""]
        guard maker.dice.chance(50) else { return " FROM _" }
        maker.sources = ["s"]
        var text = " FROM _ AS s"
        if maker.dice.chance(45) { text += join() }
        guard maker.dice.chance(50) else { return text }
        let parent = maker.dice.pick(maker.sources)
        text += " UNNEST \(parent).\(maker.dice.pick(["list", "a", "b", "c.a"])) AS u"
        maker.items = ["u"]
        if maker.dice.chance(25) {
            text += " UNNEST u.\(maker.dice.pick(["a", "b"])) AS w"
            maker.items.append("w")
        }
        return text
    }

    private mutating func join() -> String {
        let sort = maker.dice.pick(["JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "CROSS"])
        guard sort != "CROSS" else {
            maker.sources.append("r")
            return " CROSS JOIN other AS r"
        }
        let equals = [
            "s.a = r.a", "META(s).id = META(r).id", "s.b IS r.c", "r.b = s.a AND r.c > 1",
            "META(r).id = s.c", "s.a < r.a",
        ]
        let condition = maker.dice.pick(equals)
        maker.sources.append("r")
        guard maker.dice.chance(20) else { return " \(sort) other AS r ON \(condition)" }
        return " \(sort) other AS r ON \(maker.expression(depth: 2))"
    }

    // MARK: The rest

    private mutating func plain(_ middle: String) -> String {
        let count = maker.dice.number(in: 1...3)
        let columns = (0..<count).map { "\(maker.expression(depth: 2)) AS k\($0)" }
        var keys = (0..<count).map { "k\($0)" }
        keys += [maker.property(), maker.expression(depth: 1)]
        return select("SELECT", columns, middle, orderedBy: keys)
    }

    private mutating func distinct(_ middle: String) -> String {
        let count = maker.dice.number(in: 1...2)
        let columns = (0..<count).map { "\(maker.expression(depth: 1)) AS k\($0)" }
        return select("SELECT DISTINCT", columns, middle, orderedBy: (0..<count).map { "k\($0)" })
    }

    private mutating func grouped(_ middle: String) -> String {
        var columns = ["COUNT(*) AS n"]
        var keys = ["n"]
        for number in 0..<maker.dice.number(in: 1...2) {
            let aggregate = maker.dice.pick(["COUNT", "SUM", "AVG", "MIN", "MAX", "ARRAY_AGG"])
            columns.append("\(aggregate)(\(maker.property())) AS k\(number)")
            if aggregate != "ARRAY_AGG" { keys.append("k\(number)") }
        }
        let groups = maker.dice.number(in: 0...2)
        guard groups > 0 else { return select("SELECT", columns, middle, orderedBy: keys) }
        let expressions = (0..<groups).map { _ in
            let property = maker.property()
            return maker.dice.pick([
                property, property, "LENGTH(\(property))", "TYPE(\(property))",
                "(\(property) AND FALSE)", "1",
            ])
        }
        for (number, expression) in expressions.enumerated() {
            columns.append("\(expression) AS g\(number)")
            keys.append("g\(number)")
        }
        var middle = middle + " GROUP BY " + expressions.joined(separator: ", ")
        if maker.dice.chance(40) {
            middle +=
                " HAVING "
                + maker.dice.pick([
                    "COUNT(*) > 1", "SUM(\(maker.property())) > 0", "NOT (n = 2)",
                    "MAX(\(maker.property())) IS VALUED", "MIN(\(maker.property())) < 'b'",
                ])
        }
        return select("SELECT", columns, middle, orderedBy: keys)
    }

    private mutating func select(
        _ word: String,
        _ columns: [String],
        _ middle: String,
        orderedBy keys: [String]
    ) -> String {
        var text = "\(word) \(columns.joined(separator: ", "))\(middle)"
        if maker.dice.chance(60) {
            let orderings = (0..<maker.dice.number(in: 1...2)).map { _ in
                let collation = maker.dice.chance(25) ? " \(maker.collation())" : ""
                return maker.dice.pick(keys) + collation + maker.dice.pick(["", " ASC", " DESC"])
            }
            text += " ORDER BY " + orderings.joined(separator: ", ")
        }
        let limit = maker.dice.pick(["0", "1", "3", "8", "20", "-1", "$p", "1 + 1"])
        let offset = maker.dice.pick(["0", "1", "2", "7", "-2", "$p"])
        switch maker.dice.number(in: 0...9) {
        case 0, 1: text += " LIMIT \(limit)"
        case 2: text += " LIMIT \(limit) OFFSET \(offset)"
        case 3: text += " OFFSET \(offset) LIMIT \(limit)"
        case 4: text += " OFFSET \(offset)"
        default: break
        }
        return text
    }
}
