/// A question, and how a plain program answers it from the documents themselves.
struct Inquiry: Sendable {
    /// In SQL++; its column `id` identifies rows.
    let sql: String
    /// The value of the parameter `$kind`, if it has one.
    let kind: Int?
    /// Which chairs the answer is made of.
    let isMet: @Sendable (Chair) -> Bool
    /// The rows for those chairs, with the makers' names.
    let rows: @Sendable ([Chair], [Int: String]) -> [String]
    /// Whether only commits matter that change a document that met the condition before or does now;
    /// otherwise any commit in its collections may.
    let isJudgedByCondition: Bool
    let readsMakers: Bool

    private init(
        _ sql: String,
        kind: Int? = nil,
        isJudgedByCondition: Bool = false,
        readsMakers: Bool = false,
        _ isMet: @escaping @Sendable (Chair) -> Bool,
        _ rows: @escaping @Sendable ([Chair], [Int: String]) -> [String]
    ) {
        self.sql = sql
        self.kind = kind
        self.isJudgedByCondition = isJudgedByCondition
        self.readsMakers = readsMakers
        self.isMet = isMet
        self.rows = rows
    }

    /// A question of the form with this number.
    static func random(_ number: Int, _ random: inout some RandomNumberGenerator) -> Inquiry {
        let forms = [
            ofKind, inRange, dearest, behind, counted, graded, distinct, unnested, joined, tagged,
            named, withoutNote, asked, matched,
        ]
        return forms[number % forms.count](Chair(id: "", &random))
    }
}

// MARK: Judged by their condition

extension Inquiry {
    private static func ids(_ chairs: [Chair]) -> [String] { chairs.map(\.id).sorted() }

    private static func ofKind(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT META().id AS id, price FROM chairs WHERE kind = 'k\(kind)' ORDER BY META().id",
            isJudgedByCondition: true,
            { $0.kind == kind },
            { chairs, _ in chairs.sorted { $0.id < $1.id }.map { "\($0.id)|\($0.price)" } }
        )
    }

    private static func inRange(of sample: Chair) -> Inquiry {
        let range = sample.price...sample.price + 8
        return Inquiry(
            "SELECT META().id AS id, price FROM chairs WHERE price BETWEEN \(range.lowerBound) "
                + "AND \(range.upperBound) ORDER BY price, META().id",
            isJudgedByCondition: true,
            { range.contains($0.price) },
            { chairs, _ in
                chairs.sorted { ($0.price, $0.id) < ($1.price, $1.id) }
                    .map { "\($0.id)|\($0.price)" }
            }
        )
    }

    private static func dearest(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT META().id AS id, price, name FROM chairs WHERE kind = 'k\(kind)' "
                + "ORDER BY price DESC, META().id LIMIT 3",
            isJudgedByCondition: true,
            { $0.kind == kind },
            { chairs, _ in
                chairs.sorted { (-$0.price, $0.id) < (-$1.price, $1.id) }.prefix(3)
                    .map { "\($0.id)|\($0.price)|\($0.name)" }
            }
        )
    }

    private static func tagged(of sample: Chair) -> Inquiry {
        let (tag, grade) = (sample.tags[0], sample.grade)
        return Inquiry(
            "SELECT META().id AS id FROM chairs WHERE ANY t IN tags SATISFIES t = \(tag) END "
                + "AND grade = \(grade) ORDER BY META().id",
            isJudgedByCondition: true,
            { $0.grade == grade && $0.tags.contains(tag) },
            { chairs, _ in ids(chairs) }
        )
    }

    private static func named(of sample: Chair) -> Inquiry {
        let beginning = String(sample.name.prefix(7))
        return Inquiry(
            "SELECT META().id AS id, name FROM chairs WHERE name LIKE '\(beginning)%' "
                + "ORDER BY name DESC, META().id",
            isJudgedByCondition: true,
            { $0.name.hasPrefix(beginning) },
            { chairs, _ in
                chairs.sorted { $0.name == $1.name ? $0.id < $1.id : $0.name > $1.name }
                    .map { "\($0.id)|\($0.name)" }
            }
        )
    }

    private static func withoutNote(of sample: Chair) -> Inquiry {
        let (grade, price) = (sample.grade, sample.price)
        return Inquiry(
            "SELECT META().id AS id FROM chairs WHERE note IS MISSING AND grade = \(grade) "
                + "AND NOT (price > \(price)) ORDER BY META().id",
            isJudgedByCondition: true,
            { $0.words == nil && $0.grade == grade && $0.price <= price },
            { chairs, _ in ids(chairs) }
        )
    }

    private static func asked(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT META().id AS id, grade FROM chairs WHERE kind = $kind ORDER BY META().id",
            kind: kind,
            isJudgedByCondition: true,
            { $0.kind == kind },
            { chairs, _ in chairs.sorted { $0.id < $1.id }.map { "\($0.id)|\($0.grade)" } }
        )
    }
}

// MARK: Run again after each commit in their collections

extension Inquiry {
    private static func behind(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT META().id AS id, price FROM chairs WHERE kind = 'k\(kind)' "
                + "ORDER BY price, META().id LIMIT 4 OFFSET 2",
            { $0.kind == kind },
            { chairs, _ in
                chairs.sorted { ($0.price, $0.id) < ($1.price, $1.id) }.dropFirst(2).prefix(4)
                    .map { "\($0.id)|\($0.price)" }
            }
        )
    }

    private static func counted(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT 'all' AS id, COUNT(*) AS c, MAX(price) AS most FROM chairs "
                + "WHERE kind = 'k\(kind)'",
            { $0.kind == kind },
            { chairs, _ in
                ["all|\(chairs.count)|\(chairs.map(\.price).max().map { "\($0)" } ?? "-")"]
            }
        )
    }

    private static func graded(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT grade AS id, COUNT(*) AS c, SUM(price) AS s FROM chairs "
                + "WHERE kind = 'k\(kind)' GROUP BY grade HAVING COUNT(*) > 1 ORDER BY grade",
            { $0.kind == kind },
            { chairs, _ in
                Dictionary(grouping: chairs, by: \.grade).filter { $0.value.count > 1 }
                    .sorted { $0.key < $1.key }
                    .map { "\($0)|\($1.count)|\($1.map(\.price).reduce(0, +))" }
            }
        )
    }

    private static func distinct(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT DISTINCT grade AS id FROM chairs WHERE kind = 'k\(kind)' ORDER BY grade",
            { $0.kind == kind },
            { chairs, _ in Set(chairs.map(\.grade)).sorted().map { "\($0)" } }
        )
    }

    private static func unnested(of sample: Chair) -> Inquiry {
        let (tag, grade) = (sample.tags[0], sample.grade)
        return Inquiry(
            "SELECT META(c).id AS id, t AS tag FROM chairs AS c UNNEST c.tags AS t "
                + "WHERE t = \(tag) AND c.grade = \(grade) ORDER BY META(c).id",
            { $0.grade == grade && $0.tags.contains(tag) },
            { chairs, _ in ids(chairs).map { "\($0)|\(tag)" } }
        )
    }

    private static func joined(of sample: Chair) -> Inquiry {
        let kind = sample.kind
        return Inquiry(
            "SELECT META(c).id AS id, m.name AS name FROM chairs AS c JOIN makers AS m "
                + "ON META(m).id = c.maker WHERE c.kind = 'k\(kind)' ORDER BY META(c).id",
            readsMakers: true,
            { $0.kind == kind },
            { chairs, makers in
                chairs.sorted { $0.id < $1.id }
                    .compactMap { chair in makers[chair.maker].map { "\(chair.id)|\($0)" } }
            }
        )
    }

    private static func matched(of sample: Chair) -> Inquiry {
        let word = sample.words?[0] ?? 7
        return Inquiry(
            "SELECT META().id AS id FROM chairs WHERE MATCH(words, 'w\(word)') ORDER BY META().id",
            { $0.words?.contains(word) ?? false },
            { chairs, _ in ids(chairs) }
        )
    }
}
