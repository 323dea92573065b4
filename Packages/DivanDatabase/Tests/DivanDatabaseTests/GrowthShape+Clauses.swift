import DivanQuery

extension GrowthShape {
    private static func joined(_ count: Int, _ sign: String, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: sign)
    }

    private static func item(_ number: Int) -> String { "{\"b\":\(number % 97),\"a\":[\(number)]}" }

    /// Clauses over documents whose values are containers, or long texts with the same beginning.
    static let clauses: [GrowthShape] = {
        let sqls =
            [
                "SELECT DISTINCT v FROM _", "SELECT v, COUNT(*) FROM _ GROUP BY v",
                "SELECT DISTINCT [v, t] FROM _", "SELECT v FROM _ ORDER BY {'t': t, 'v': v}",
                "SELECT COUNT(*) FROM _ GROUP BY [v, t] HAVING MAX(v) > MIN(v)",
                "SELECT ARRAY_COUNT(ARRAY_AGG(DISTINCT v)) FROM _",
                "SELECT v FROM _ ORDER BY v", "SELECT v FROM _ ORDER BY v DESC LIMIT 10 OFFSET 20",
                "SELECT v FROM _ GROUP BY v HAVING COUNT(*) > 0", "SELECT * FROM _",
                "SELECT t FROM _ ORDER BY t COLLATE UNICODE",
                "SELECT t FROM _ ORDER BY t COLLATE NOCASE",
                "SELECT DISTINCT t COLLATE UNICODE:NOCASE:NODIAC FROM _",
                "SELECT META().id FROM _ WHERE v IN [{}, 1, 'a']",
                "SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON META(a).id = META(b).id",
                "SELECT COUNT(*) FROM _ WHERE EXISTS (SELECT v FROM _ LIMIT 1)",
            ]
            + QueryAggregate.allCases.flatMap { aggregate in
                ["v", "t", "n"].map { "SELECT \(aggregate.rawValue)(\($0)) FROM _" }
            }
            + QueryMetadataKey.allCases.map { "SELECT META().\($0.rawValue) FROM _ ORDER BY 1" }
        let beginning = String(repeating: "é", count: 50)
        return sqls.map { sql in
            GrowthShape(sql) { number, count in
                #"{"v":\#(item(number)),"t":"\#(beginning)\#(count - number)","n":\#(number % 7)}"#
            }
        }
    }()

    /// Clauses over the items of one document.
    static let items: [GrowthShape] =
        [
            "SELECT u FROM _ AS d UNNEST d.v AS u",
            "SELECT u.b FROM _ AS d UNNEST d.v AS u WHERE u.b > 3",
            "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS u GROUP BY u.a",
            "SELECT ARRAY_AGG(u) FROM _ AS d UNNEST d.v AS u", "SELECT v, w FROM _",
            "SELECT w FROM _ WHERE v[-1].b < 1000", "SELECT v[5], w FROM _",
        ].map { sql in
            GrowthShape(sql) { count in "{\"v\":[\(joined(count, ",") { item($0) })],\"w\":1}" }
        }
        + QueryQuantifier.allCases.map { quantifier in
            GrowthShape(
                "SELECT w FROM _ WHERE \(quantifier.rawValue) x IN v SATISFIES x.b = 100 END"
            ) {
                count in "{\"v\":[\(joined(count, ",") { item($0) })],\"w\":1}"
            }
        }

    /// Long texts of queries, valid or not; the largest are as long as the limits allow.
    static let texts: [GrowthShape] = [
        GrowthShape("a AND b", 400) {
            "SELECT 1 FROM _ WHERE " + joined($0, " AND ") { "n > \($0)" }
        },
        GrowthShape("a OR b", 400) {
            "SELECT 1 FROM _ WHERE " + joined($0, " OR ") { "n = \($0)" }
        },
        GrowthShape("a + b", 1_000) { "SELECT " + joined($0, " + ") { "n\($0)" } + " FROM _" },
        GrowthShape("a || b", 1_000) { "SELECT " + joined($0, " || ") { "n\($0)" } + " FROM _" },
        GrowthShape("columns", 240) { "SELECT " + joined($0, ", ") { "n\($0)" } + " FROM _" },
        GrowthShape("aliases", 60) { count in
            let names = (0..<count).map { String(repeating: "x", count: 200) + String($0) }
            return "SELECT " + names.map { "1 AS \($0)" }.joined(separator: ", ")
                + " FROM _ ORDER BY " + names.joined(separator: ", ")
        },
        GrowthShape("keys", 100) { "SELECT n FROM _ ORDER BY " + joined($0, ", ") { "n\($0)" } },
        GrowthShape("groups", 100) { "SELECT 1 FROM _ GROUP BY " + joined($0, ", ") { "n\($0)" } },
        GrowthShape("CASE", 200) {
            "SELECT CASE" + joined($0, "") { " WHEN n = \($0) THEN \($0)" } + " END FROM _"
        },
        GrowthShape("arguments", 15) {
            "SELECT GREATEST(" + joined($0, ",") { "n\($0)" } + ") FROM _"
        },
        GrowthShape("members", 500) { "SELECT {" + joined($0, ",") { "'k\($0)': n" } + "} FROM _" },
        GrowthShape("parameters", 500) { "SELECT [" + joined($0, ",") { "$p\($0)" } + "] FROM _" },
        GrowthShape("IN [1, 2]") {
            "SELECT 1 FROM _ WHERE n IN [" + joined($0, ",") { "\($0)" } + "]"
        },
        GrowthShape("IN [{}, {}]", 500) {
            "SELECT 1 FROM _ WHERE n IN [" + joined($0, ",") { "{'b': \($0)}" } + "]"
        },
        GrowthShape("IN ['a', 'b'] without case", 1_000) {
            "SELECT 1 FROM _ WHERE (TOSTRING(n) COLLATE NOCASE) IN ["
                + joined($0, ",") { "'a\($0)'" } + "]"
        },
        GrowthShape("a path", 2_000) { "SELECT n" + joined($0, "") { ".a\($0)" } + " FROM _" },
        GrowthShape("a text", 20_000) {
            "SELECT '" + String(repeating: "a", count: $0) + "' FROM _"
        },
        GrowthShape("quotes", 20_000) {
            "SELECT '" + String(repeating: "''", count: $0) + "' FROM _"
        },
        GrowthShape("a name", 20_000) {
            "SELECT `" + String(repeating: "n", count: $0) + "` FROM _"
        },
        GrowthShape("a number", 20_000) {
            "SELECT " + String(repeating: "7", count: $0) + " FROM _"
        },
        GrowthShape("signs", 20_000) {
            "SELECT " + String(repeating: "- ", count: $0) + "1 FROM _"
        },
        GrowthShape("blanks", 20_000) {
            "SELECT 1" + String(repeating: " \n", count: $0) + "FROM _"
        },
        GrowthShape("comments", 5_000) {
            "SELECT 1 " + String(repeating: "/* */", count: $0) + "FROM _"
        },
        GrowthShape("open parentheses", 20_000) { "SELECT " + String(repeating: "(", count: $0) },
        GrowthShape("words", 5_000) { "SELECT " + String(repeating: "SELECT ", count: $0) },
        GrowthShape("names", 5_000) {
            "SELECT n FROM _ WHERE " + String(repeating: "abc ", count: $0)
        },
        GrowthShape("an open text", 20_000) { "SELECT '" + String(repeating: "a ", count: $0) },
        GrowthShape("unknown signs", 20_000) {
            "SELECT n FROM _ WHERE " + String(repeating: "# ", count: $0)
        },
        GrowthShape("commas", 20_000) {
            "SELECT n" + String(repeating: ",", count: $0) + " FROM _"
        },
    ]
}
