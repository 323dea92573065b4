import CouchbaseLiteSwift
import Foundation
import Testing

@Suite struct PredictionTests {
    @Test func `a prediction is an object, whose parts are selected by name`() throws {
        let numbers = try PredictedNumbers()
        let (sql, name) = (numbers.sql, numbers.name)
        #expect(
            try numbers.rows("SELECT \(sql) AS p FROM _ WHERE META().id = 'd0'")
                == [#"{"p":{"greatest":3,"least":1,"numbers":[1,2,3],"sum":6}}"#]
        )
        let least = "PREDICTION(\(name), {'numbers': numbers}, 'least') AS l"
        let parts = "\(sql).sum AS s, \(least), \(sql).numbers[1] AS n"
        #expect(
            try numbers.rows("SELECT \(parts) FROM _ WHERE META().id = 'd1'")
                == [#"{"s":15,"l":4,"n":5}"#]
        )
        let prediction = numbers.prediction
        let query = QueryBuilder.select(
            SelectResult.expression(prediction).as("p"),
            SelectResult.expression(prediction.property("sum")).as("sum"),
            SelectResult.expression(prediction.property("numbers[0]")).as("first")
        ).from(DataSource.collection(try numbers.collection))
            .where(prediction.property("sum").greaterThan(Expression.int(6)))
            .orderBy(Ordering.expression(prediction.property("sum")).descending())
        let results = try query.execute().allResults()
        #expect(results.map { $0.int(forKey: "sum") } == [24, 15])
        #expect(results.map { $0.int(forKey: "first") } == [7, 4])
        #expect(results[0].dictionary(forKey: "p")?.int(forKey: "greatest") == 9)
    }

    @Test func `predictions can be grouped, merged, joined and filtered`() throws {
        let numbers = try PredictedNumbers([[1, 2], [3], [2, 4], [5, 1]])
        let sum = "\(numbers.sql).sum"
        #expect(
            try numbers.rows("SELECT \(sum) AS s, COUNT(*) AS n FROM _ GROUP BY \(sum) ORDER BY s")
                == [#"{"s":3,"n":2}"#, #"{"s":6,"n":2}"#]
        )
        #expect(
            try numbers.rows("SELECT DISTINCT \(sum) AS s FROM _ ORDER BY \(sum) DESC")
                == [#"{"s":6}"#, #"{"s":3}"#]
        )
        let input = "{'numbers': b.numbers}"
        #expect(
            try numbers.rows(
                "SELECT META(a).id AS x, META(b).id AS y FROM _ AS a JOIN _ AS b"
                    + " ON a.numbers[0] = PREDICTION(\(numbers.name), \(input)).least"
                    + " AND META(a).id < META(b).id"
            ) == [#"{"x":"d0","y":"d3"}"#]
        )
        #expect(
            try numbers.rows("SELECT SUM(\(sum)) AS s, MAX(\(numbers.sql).greatest) AS m FROM _")
                == [#"{"s":18,"m":5}"#]
        )
        let own = "PREDICTION(\(numbers.name), {'numbers': d.numbers}).sum"
        #expect(
            try numbers.rows(
                "SELECT n FROM _ AS d UNNEST d.numbers AS n WHERE \(own) = 6 AND n > 3 ORDER BY n"
            ) == [#"{"n":4}"#, #"{"n":5}"#]
        )
    }

    @Test func `without a model, an input or an output a prediction is MISSING`() throws {
        let numbers = try PredictedNumbers()
        func first(_ expression: String) throws -> String? {
            try numbers.rows("SELECT \(expression) AS x FROM _ LIMIT 1").first
        }
        #expect(try first("PREDICTION(nobody, {'numbers': numbers})") == "{}")
        #expect(try first("PREDICTION(\(numbers.name), {'a': 1}) IS MISSING") == #"{"x":true}"#)
        #expect(try first("PREDICTION(\(numbers.name), none)") == "{}")
        Database.prediction.unregisterModel(withName: numbers.name)
        #expect(try first("\(numbers.sql).sum") == "{}")
    }

    @Test(arguments: ["'text'", "'{}'", "3", "numbers", "TRUE"])
    func `an input that is not an object is an error`(input: String) throws {
        let numbers = try PredictedNumbers()
        #expect(throws: (any Error).self) {
            try numbers.rows("SELECT PREDICTION(\(numbers.name), \(input)) FROM _")
        }
        #expect(numbers.model.callCount == 0)
    }

    @Test func `a model reads the content of blobs in documents and parameters`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.database.defaultCollection()
        let document = MutableDocument(id: "d")
        document.setBlob(
            Blob(contentType: "text/plain", data: Data("Knox on fox in socks".utf8)),
            forKey: "text"
        )
        try collection.save(document: document)
        Database.prediction.registerModel(TextModel(), withName: "text_blobs")
        defer { Database.prediction.unregisterModel(withName: "text_blobs") }
        func count(_ input: any ExpressionProtocol, _ parameters: Parameters? = nil) throws -> Int?
        {
            let prediction = Function.prediction(
                model: "text_blobs",
                input: Expression.dictionary(["text": input])
            )
            let query = QueryBuilder.select(
                SelectResult.expression(prediction.property("count")).as("count")
            ).from(DataSource.collection(collection))
            query.parameters = parameters
            return try query.execute().allResults().first?.int(forKey: "count")
        }
        #expect(try count(Expression.property("text")) == 20)
        let parameters = Parameters()
        parameters.setBlob(Blob(contentType: "text/plain", data: Data("two".utf8)), forName: "t")
        #expect(try count(Expression.parameter("t"), parameters) == 3)
    }

    @Test func `malformed predictions are rejected`() throws {
        let numbers = try PredictedNumbers()
        for sql in [
            "PREDICTION()", "PREDICTION(m)", "PREDICTION('m', {})", "PREDICTION(m, {}, x)",
            "PREDICTION(m, {}, 'a', 'b')", "PREDICTION(m, {}, '')", "PREDICTION({}, m)",
        ] {
            let error = #expect(throws: NSError.self) { try numbers.rows("SELECT \(sql) FROM _") }
            #expect(error?.code == CBLError.invalidQuery, "\(sql)")
        }
    }
}
