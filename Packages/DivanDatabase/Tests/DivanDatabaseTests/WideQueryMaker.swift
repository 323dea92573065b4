/// Makes random queries that combine sources: joins of joins and of items, items of items, aliases
/// wherever they are allowed, groups of all of that, and nested queries.
struct WideQueryMaker {
    private var maker: ExpressionMaker
    /// Names of sources that may have items: documents and items.
    private var parents: [String] = []
    private var number = 0

    init(seed: UInt64) {
        maker = ExpressionMaker(Dice(seed: seed &* 31 &+ 7))
    }

    mutating func query() -> String {
        maker.items = []
        maker.sources = ["s"]
        parents = ["s"]
        number = 0
        var from = " FROM \(maker.dice.pick(["_", "other"])) AS s"
        if maker.dice.chance(25) { return counted(from) }
        for _ in 0..<maker.dice.number(in: 1...3) {
            from += maker.sources.count < 2 && maker.dice.chance(55) ? join() : unnest()
        }
        return maker.dice.chance(40) ? grouped(from) : plain(from)
    }

    // MARK: FROM

    private mutating func join() -> String {
        number += 1
        let name = "r\(number)"
        let sort = maker.dice.pick(["JOIN", "LEFT JOIN", "INNER JOIN", "LEFT OUTER JOIN"])
        let partner = maker.dice.pick(parents)
        let isItem = maker.items.contains(partner)
        let tie = maker.dice.pick([
            isItem ? "META(\(name)).id = \(partner).a" : "META(\(name)).id = META(\(partner)).id",
            "\(name).a = \(partner).a", "\(partner).b = \(name).a", "\(name).c IS \(partner).c",
            "\(name).a = \(partner).list[0]", "\(partner) = \(name).a",
            "\(partner).a IN \(name).list",
            "(ANY v IN \(name).list SATISFIES v = \(partner).a END)",
            "META(\(name)).id IN ('d1', 'd4', \(partner).a)",
            "\(name).a BETWEEN \(partner).b AND 3",
        ])
        maker.sources.append(name)
        let more = maker.dice.chance(35) ? " AND \(maker.expression(depth: 1))" : ""
        parents.append(name)
        return " \(sort) \(maker.dice.pick(["_", "other"])) AS \(name) ON \(tie)\(more)"
    }

    private mutating func unnest() -> String {
        number += 1
        let name = "u\(number)"
        let parent = maker.dice.pick(parents)
        let path = maker.dice.pick(["list", "list", "a", "c.a", "b", "list[0]", "`z.y`"])
        maker.items.append(name)
        parents.append(name)
        return " UNNEST \(parent).\(path) AS \(name)"
    }

    // MARK: WHERE

    private mutating func condition() -> String {
        guard maker.dice.chance(80) else { return "" }
        let terms = (0..<maker.dice.number(in: 1...3)).map { _ in term() }
        return " WHERE " + terms.joined(separator: maker.dice.pick([" AND ", " AND ", " OR "]))
    }

    private mutating func term() -> String {
        let property = maker.property()
        let source = maker.dice.pick(maker.sources)
        return maker.dice.pick([
            "\(source).a = \(maker.dice.number(in: -1...3))", "\(source).b > 0",
            "\(source).a < 'b'",
            "\(source).a LIKE 'a%'", "LOWER(\(source).a) = 'a'", "LOWER(\(source).a) LIKE 'a%'",
            "(\(source).a = 'AB' COLLATE NOCASE)", "\(source).a IS NOT MISSING",
            "\(source).a IN ('a', 2, NULL)", "\(source).a || 'x' = 'ax'", "\(source).b * 2 >= 4",
            "META(\(source)).id > 'd2'", "META(\(source)).id IN ('d5', 'd3', 7)",
            "META(\(source)).id = \(property)", "META(\(source)).sequence > \(property)",
            "(ANY v IN \(source).list SATISFIES v = 2 END)",
            "(ANY v IN \(source).list SATISFIES v.a = \(property) END)",
            "(ANY v IN \(source).list SATISFIES (ANY w IN v.a SATISFIES w > 0 END) END)",
            "(ANY AND EVERY v IN \(source).list SATISFIES v < \(property) END)",
            "(SOME v IN \(source).c.a SATISFIES v IS VALUED END)", "\(property) IN \(source).list",
            "(EVERY v IN \(property) SATISFIES v IN \(source).list END)", exists(),
            "\(property) = \(maker.property())", maker.expression(depth: 2),
            maker.expression(depth: 1),
            "k0 IS VALUED", "k0 = \(property)", "NOT (k0 > 1)",
        ])
    }

    private mutating func exists() -> String {
        let value = maker.dice.number(in: -2...3)
        return maker.dice.pick([
            "EXISTS (SELECT e.a FROM other AS e UNNEST e.list AS i WHERE i = \(value))",
            "EXISTS (SELECT COUNT(*) FROM other AS e WHERE e.a = \(value) GROUP BY e.b HAVING COUNT(*) > 1)",
            "EXISTS (SELECT e.a FROM other AS e JOIN _ AS f ON e.a = f.b WHERE f.c > \(value))",
            "EXISTS (SELECT e.a AS k FROM other AS e WHERE k = \(value) ORDER BY k LIMIT 1 OFFSET 1)",
            "EXISTS (SELECT DISTINCT e.a FROM other AS e WHERE e.list[0] = \(value) OFFSET 2)",
        ])
    }

    // MARK: SELECT

    private mutating func plain(_ from: String) -> String {
        let whole = maker.dice.pick(parents)
        let everything = maker.dice.pick([
            whole, "\(whole).*", "META(\(maker.dice.pick(maker.sources))).id",
        ])
        let columns = ["\(maker.expression(depth: 1)) AS k0", everything, maker.property()]
        let word = maker.dice.chance(25) ? "SELECT DISTINCT" : "SELECT"
        var text = "\(word) \(columns.joined(separator: ", "))\(from)\(condition())"
        if word == "SELECT", maker.dice.chance(60) {
            let key = maker.dice.pick(["k0", "META(s).id", maker.property()])
            text += " ORDER BY \(key)\(maker.dice.pick(["", " DESC"])), \(maker.property())"
        } else if maker.dice.chance(60) {
            text += " ORDER BY k0" + maker.dice.pick(["", " DESC"])
        }
        return text + maker.dice.pick(["", "", " LIMIT 5", " LIMIT 4 OFFSET 2", " OFFSET 3"])
    }

    private mutating func grouped(_ from: String) -> String {
        let key = maker.dice.pick([
            maker.property(), maker.property(), "LOWER(\(maker.property()))",
            "TYPE(\(maker.property()))",
            "\(maker.property()) || 'x'", "META(\(maker.dice.pick(maker.sources))).id",
        ])
        let aggregates = (0..<2).map { _ in aggregate() }
        let word = maker.dice.chance(20) ? "SELECT DISTINCT" : "SELECT"
        var columns = ["\(key) AS k0", "COUNT(*) AS n"]
        columns += aggregates.enumerated().map { "\($1) AS x\($0)" }
        if word == "SELECT DISTINCT" { columns.remove(at: 0) }
        let filter = word == "SELECT" ? condition() : ""
        var text = "\(word) \(columns.joined(separator: ", "))\(from)\(filter)"
        let alias = word == "SELECT" && maker.dice.chance(50)
        text += " GROUP BY \(alias ? "k0" : key)"
        if maker.dice.chance(30) { text += ", \(maker.property())" }
        if maker.dice.chance(40) {
            text +=
                " HAVING "
                + maker.dice.pick([
                    "n > 1", "COUNT(*) = 1", "\(aggregate()) IS VALUED",
                    "n > 1 AND \(aggregate()) > 0",
                    "x0 IS NOT MISSING",
                ])
        }
        if maker.dice.chance(50) {
            let keys = ["n", "n DESC", "COUNT(*)", "x1 DESC", "MAX(\(maker.property()))"]
            text += " ORDER BY \(maker.dice.pick(word == "SELECT" ? keys : Array(keys.prefix(2))))"
        }
        return text + maker.dice.pick(["", "", " LIMIT 3", " LIMIT 2 OFFSET 1"])
    }

    /// What an index may answer without reading the documents.
    private mutating func counted(_ from: String) -> String {
        let all = [
            "s.a", "s.b", "s.c", "LOWER(s.a)", "s.a || 'x'", "s.b * 2", "s.list[0]", "TYPE(s.a)",
        ]
        var keys = maker.dice.pick([
            [], [maker.dice.pick(all)], [maker.dice.pick(all)], ["s.a", "s.b"],
        ])
        if maker.dice.chance(20) { keys.append(maker.dice.pick(["TYPE(s.a)", "META(s).id"])) }
        let shown = keys.enumerated().map { "\($1) AS k\($0)" }
        let key = keys.first ?? "s.a"
        let filter = maker.dice.pick([
            "", "", " WHERE \(key) > 0", " WHERE \(key) BETWEEN 'a' AND $t", " WHERE $p <= \(key)",
            " WHERE \(key) < 'b' AND \(key) >= -1", " WHERE \(key) = 'ab'",
            " WHERE \(key) LIKE 'a%'",
            " WHERE \(key) IS NOT MISSING", " WHERE s.b > 0", condition(),
        ])
        let end = maker.dice.pick(["", " LIMIT 3", " LIMIT 2 OFFSET 1"])
        if keys.isEmpty {
            let count = maker.dice.pick([
                "COUNT(*)", "COUNT(META(s).id)", "COUNT('x')", "COUNT(s.a)",
            ])
            return "SELECT \(count) AS n, COUNT(*) + 1 AS m\(from)\(filter)\(end)"
        }
        if maker.dice.chance(40) {
            let order = maker.dice.pick(["", " ORDER BY k0", " ORDER BY k0 DESC"])
            return "SELECT DISTINCT \(shown.joined(separator: ", "))\(from)\(filter)\(order)\(end)"
        }
        let collates = maker.dice.chance(20)
        let columns = collates ? [] : shown
        let groups = keys.map {
            collates ? "(\($0) COLLATE \(maker.dice.pick(["NOCASE", "UNICODE"])))" : $0
        }
        return "SELECT \((columns + ["COUNT(*) AS n"]).joined(separator: ", "))\(from)\(filter)"
            + " GROUP BY \(groups.joined(separator: ", "))"
            + maker.dice.pick(["", "", " HAVING n > 1", " HAVING COUNT(*) = 1"])
            + maker.dice.pick(["", " ORDER BY n DESC", collates ? "" : " ORDER BY k0 DESC"]) + end
    }

    private mutating func aggregate() -> String {
        let word = maker.dice.pick(["COUNT", "SUM", "AVG", "MIN", "MAX"])
        return "\(word)(\(maker.dice.pick([maker.property(), maker.expression(depth: 1)])))"
    }
}
