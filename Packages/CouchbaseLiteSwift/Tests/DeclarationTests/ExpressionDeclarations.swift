import CouchbaseLiteSwift
import Foundation
import Testing

/// `sqlpp.md` §11: expressions, each run over one document.
@Suite struct ExpressionDeclarations {
    private let place: Place
    let database: Database
    let collection: Collection

    init() throws {
        place = try Place()
        database = try place.open()
        collection = try database.defaultCollection()
        let document = MutableDocument(
            id: "d",
            data: [
                "n": 7, "half": 0.5, "name": " Ünïx ", "tags": ["a", "b"], "null": NSNull(),
                "date": "1985-10-26T01:21:30.500Z", "vector": [3.0, 4.0], "zero": [0.0, 0.0],
                "a": ["b": ["c": true]], "text": "wood and steel",
            ]
        )
        try collection.save(document: document)
    }

    /// The value of an expression for the document.
    private func value(_ expression: ExpressionProtocol) throws -> Any? {
        let query = QueryBuilder.select(SelectResult.expression(expression).as("x"))
            .from(DataSource.collection(collection))
        return try query.execute().next()?.value(forKey: "x")
    }

    private func holds(_ expression: ExpressionProtocol) throws -> Bool {
        let query = QueryBuilder.select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(collection)).where(expression)
        return try !query.execute().allResults().isEmpty
    }

    private let n: PropertyExpressionProtocol = Expression.property("n")

    @Test func `Expression creates values of every type`() throws {
        let all: PropertyExpressionProtocol = Expression.all()
        #expect((try value(all) as? DictionaryObject)?.int(forKey: "n") == 7)
        #expect(try value(Expression.property("a.b.c")) as? Bool == true)
        #expect(try value(Expression.value("any")) as? String == "any")
        #expect(try value(Expression.value(nil)) == nil)
        #expect(try value(Expression.string("s")) as? String == "s")
        #expect(try value(Expression.number(NSNumber(value: 4))) as? Int == 4)
        #expect(try value(Expression.int(-4)) as? Int == -4)
        #expect(try value(Expression.int64(.max)) as? Int64 == .max)
        #expect(try value(Expression.float(0.25)) as? Float == 0.25)
        #expect(try value(Expression.double(0.125)) as? Double == 0.125)
        #expect(try value(Expression.boolean(true)) as? Bool == true)
        let date = Date(timeIntervalSince1970: 499_137_690.5)
        #expect(try value(Expression.date(date)) as? String == "1985-10-26T01:21:30.500Z")
        #expect((try value(Expression.dictionary(["k": 1])) as? DictionaryObject)?.count == 1)
        #expect((try value(Expression.array([1, "b"])) as? ArrayObject)?.string(at: 1) == "b")
        #expect(try value(Expression.negated(Expression.boolean(true))) as? Bool == false)
        #expect(try value(Expression.not(Expression.boolean(false))) as? Bool == true)
        let query = QueryBuilder.select(
            SelectResult.expression(Expression.parameter("p")).as("x")
        ).from(DataSource.collection(collection))
        query.parameters = Parameters().setInt(9, forName: "p")
        #expect(try query.execute().next()?.int(at: 0) == 9)
    }

    @Test func `arithmetic operators work`() throws {
        let two = Expression.int(2)
        #expect(try value(n.multiply(two)) as? Int == 14)
        #expect(try value(n.divide(two)) as? Int == 3)
        #expect(try value(n.modulo(two)) as? Int == 1)
        #expect(try value(n.add(two)) as? Int == 9)
        #expect(try value(n.subtract(two)) as? Int == 5)
    }

    @Test func `comparison operators work`() throws {
        let seven = Expression.int(7)
        let null = Expression.value(nil)
        let name = Expression.property("name")
        let conditions: [ExpressionProtocol] = [
            n.lessThan(Expression.int(8)), n.lessThanOrEqualTo(seven),
            n.greaterThan(Expression.int(6)), n.greaterThanOrEqualTo(seven), n.equalTo(seven),
            n.notEqualTo(Expression.int(8)), n.is(seven), n.isNot(null),
            n.between(Expression.int(1), and: seven), n.in([Expression.int(1), seven]),
            name.like(Expression.string("%n%")), name.regex(Expression.string("Ü.*x")),
            n.isValued(), Expression.property("none").isNotValued(),
            Expression.property("null").isNotValued(),
            n.equalTo(seven).and(n.isValued()), n.equalTo(null).or(n.isValued()),
            Expression.property("n").from(nil).equalTo(seven),
        ]
        for (index, expression) in conditions.enumerated() {
            #expect(try holds(expression), "number \(index)")
        }
        #expect(try !holds(n.equalTo(Expression.int(8)).or(n.isNotValued())))
    }

    @Test func `the deprecated null and missing tests work`() throws {
        struct Asking: Older {
            let holds: (ExpressionProtocol) throws -> Bool
            @available(*, deprecated) func run() throws {
                #expect(try holds(Expression.property("null").isNullOrMissing()))
                #expect(try holds(Expression.property("n").notNullOrMissing()))
            }
        }
        let asking: Older = Asking(holds: holds)
        try asking.run()
    }

    @Test func `comparisons use collations`() throws {
        let ascii: Collation.ASCII = Collation.ascii().ignoreCase(true)
        let unicode: Collation.Unicode = Collation.unicode().ignoreCase(true).ignoreAccents(true)
        let collation: CollationProtocol = unicode.locale("de")
        let name = Expression.string("Ünix")
        let (upper, lower) = (Expression.string("ABC"), Expression.string("abc"))
        #expect(try holds(upper.collate(ascii).equalTo(lower)))
        let plain = Expression.string("unix")
        #expect(try holds(name.collate(collation).equalTo(plain)))
        #expect(try !holds(name.collate(Collation.unicode().locale(nil)).equalTo(plain)))
    }

    @Test func `ANY and EVERY test the items of an array`() throws {
        let tag: VariableExpressionProtocol = ArrayExpression.variable("t")
        let tags = Expression.property("tags")
        let isA = tag.equalTo(Expression.string("a"))
        let any: ArrayExpressionIn = ArrayExpression.any(tag)
        let condition: ArrayExpressionSatisfies = any.in(tags)
        #expect(try holds(condition.satisfies(isA)))
        #expect(try !holds(ArrayExpression.every(tag).in(tags).satisfies(isA)))
        #expect(try holds(ArrayExpression.anyAndEvery(tag).in(tags).satisfies(tag.isValued())))
        #expect(try value(ArrayFunction.length(tags)) as? Int == 2)
        let contains = ArrayFunction.contains(tags, value: Expression.string("b"))
        #expect(try value(contains) as? Bool == true)
    }

    @Test func `number functions work`() throws {
        let half = Expression.property("half")
        let cases: [(ExpressionProtocol, Double)] = [
            (Function.abs(Expression.int(-3)), 3), (Function.acos(half), acos(0.5)),
            (Function.asin(half), asin(0.5)), (Function.atan(half), atan(0.5)),
            (Function.atan2(y: half, x: n), atan2(0.5, 7)), (Function.ceil(half), 1),
            (Function.cos(half), cos(0.5)), (Function.degrees(half), 90 / Double.pi),
            (Function.e(), M_E), (Function.exp(half), exp(0.5)), (Function.floor(half), 0),
            (Function.ln(half), log(0.5)), (Function.log(half), log10(0.5)),
            (Function.pi(), Double.pi), (Function.power(base: n, exponent: half), pow(7, 0.5)),
            (Function.radians(n), 7 * Double.pi / 180), (Function.round(half), 1),
            (Function.round(Expression.double(0.567), digits: Expression.int(2)), 0.57),
            (Function.sign(n), 1), (Function.sin(half), sin(0.5)), (Function.sqrt(n), sqrt(7)),
            (Function.tan(half), tan(0.5)), (Function.trunc(half), 0),
            (Function.trunc(Expression.double(0.567), digits: Expression.int(2)), 0.56),
            (Function.avg(n), 7), (Function.count(n), 1), (Function.count(), 1),
            (Function.min(n), 7), (Function.max(n), 7), (Function.sum(n), 7),
        ]
        for (index, (expression, expected)) in cases.enumerated() {
            let found = try #require(try value(expression) as? Double, "number \(index)")
            #expect(abs(found - expected) < 1e-12, "number \(index)")
        }
    }

    @Test func `string and date functions work`() throws {
        let name = Expression.property("name")
        let date = Expression.property("date")
        #expect(
            try value(Function.contains(name, substring: Expression.string("n"))) as? Bool == true
        )
        #expect(try value(Function.length(name)) as? Int == 6)
        #expect(try value(Function.lower(name)) as? String == " ünïx ")
        #expect(try value(Function.upper(name)) as? String == " ÜNÏX ")
        #expect(try value(Function.ltrim(name)) as? String == "Ünïx ")
        #expect(try value(Function.rtrim(name)) as? String == " Ünïx")
        #expect(try value(Function.trim(name)) as? String == "Ünïx")
        let millis = Expression.int64(499_137_690_500)
        #expect(try value(Function.stringToMillis(date)) as? Int64 == 499_137_690_500)
        #expect(try value(Function.stringToUTC(date)) as? String == "1985-10-26T01:21:30.500Z")
        #expect(try value(Function.millisToUTC(millis)) as? String == "1985-10-26T01:21:30.500Z")
        #expect((try value(Function.millisToString(millis)) as? String)?.hasPrefix("1985") == true)
    }

    @Test func `vector distance functions work`() throws {
        let vector = Expression.property("vector")
        let zero = Expression.property("zero")
        #expect(try value(Function.euclideanDistance(between: vector, and: zero)) as? Double == 5)
        let squared = Function.squaredEuclideanDistance(between: vector, and: zero)
        #expect(try value(squared) as? Double == 25)
        let same = try value(Function.cosineDistance(between: vector, and: vector)) as? Double
        #expect(abs(try #require(same)) < 1e-12)
    }

    @Test func `full-text search matches and ranks`() throws {
        let index = FullTextIndexConfiguration(["text"], language: "en")
        try collection.createIndex(withName: "words", config: index)
        let words: FullTextIndexExpressionProtocol = Expression.fullTextIndex("words")
        let _: FullTextIndexExpressionProtocol = words.from("d")
        let source = DataSource.collection(collection)
        let query = QueryBuilder.select(SelectResult.expression(Meta.id)).from(source)
            .where(FullTextFunction.match(words, query: "steel"))
            .orderBy(Ordering.expression(FullTextFunction.rank(words)).descending())
        #expect(try query.execute().allResults().count == 1)
        let aliased = QueryBuilder.select(SelectResult.expression(Meta.id.from("d")))
            .from(source.as("d"))
            .where(FullTextFunction.match(words.from("d"), query: "'wood'"))
        #expect(try aliased.execute().allResults().count == 1)
        struct Matching: Older {
            let source: DataSourceAs
            @available(*, deprecated) func run() throws {
                let query = QueryBuilder.select(SelectResult.expression(Meta.id)).from(source)
                    .where(FullTextFunction.match(indexName: "words", query: "wood"))
                    .orderBy(Ordering.expression(FullTextFunction.rank("words")))
                #expect(try query.execute().allResults().count == 1)
                let index: FullTextExpressionProtocol = FullTextExpression.index("words")
                let condition: ExpressionProtocol = index.match("wood")
                // Foundation has a type of this name, too.
                let order: CouchbaseLiteSwift.SortOrder = Ordering.property("price")
                #expect(order.descending() is CouchbaseLiteSwift.SortOrder)
                let oldest = QueryBuilder.select(SelectResult.expression(Meta.id)).from(source)
                #expect(try oldest.where(condition).execute().allResults().count == 1)
            }
        }
        let matching: Older = Matching(source: source)
        try matching.run()
    }
}
