import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

@Suite struct PredictiveIndexTests {
    @Test func `a predictive index keeps outputs, so that queries do not call the model`() throws {
        let numbers = try PredictedNumbers()
        let index = IndexBuilder.predictiveIndex(
            model: numbers.name,
            input: Expression.dictionary(["numbers": Expression.property("numbers")])
        )
        try numbers.collection.createIndex(index, name: "sums")
        let count = numbers.model.callCount
        #expect(count == 3)
        #expect(
            try numbers.rows("SELECT \(numbers.sql).sum AS s FROM _ WHERE \(numbers.sql).sum > 6")
                == [#"{"s":15}"#, #"{"s":24}"#]
        )
        #expect(try numbers.rows("SELECT COUNT(\(numbers.sql).least) AS n FROM _") == [#"{"n":3}"#])
        #expect(numbers.model.callCount == count)
        try numbers.collection.deleteIndex(forName: "sums")
        #expect(try numbers.rows("SELECT \(numbers.sql).sum FROM _").count == 3)
        #expect(numbers.model.callCount == count + 3)
    }

    /// By an index of outputs, and by a value index of the same expressions.
    @Test(arguments: [true, false])
    func `queries search by the indexed outputs`(isPredictive: Bool) throws {
        let numbers = try PredictedNumbers((0..<100).map { [$0, $0 + 1] })
        let prediction = numbers.prediction
        let index: any Index =
            isPredictive
            ? IndexBuilder.predictiveIndex(
                model: numbers.name,
                input: Expression.dictionary(["numbers": Expression.property("numbers")]),
                properties: ["sum", "least"]
            )
            : IndexBuilder.valueIndex(
                items: ValueIndexItem.expression(prediction.property("sum")),
                ValueIndexItem.expression(prediction.property("least"))
            )
        try numbers.collection.createIndex(index, name: "sumAndLeast")
        #expect(try numbers.collection.indexes() == ["sumAndLeast"])
        let count = numbers.model.callCount
        #expect(count == 100)
        for condition in [
            "\(numbers.sql).sum <= 15", "\(numbers.sql).sum <= 15 AND \(numbers.sql).least < 50",
            "\(numbers.sql).sum BETWEEN 0 AND 15",
        ] {
            let greatest = "\(numbers.sql).greatest AS g"
            let query = "SELECT META().id AS id, \(greatest) FROM _ WHERE \(condition)"
            #expect(try numbers.explain(query).contains("INDEX sumAndLeast"), "\(condition)")
            #expect(try numbers.rows(query).count == 8, "\(condition)")
        }
        let built = QueryBuilder.select(SelectResult.expression(prediction.property("sum")).as("s"))
            .from(DataSource.collection(try numbers.collection))
            .where(prediction.property("sum").equalTo(Expression.int(15)))
        #expect(try built.explain().contains("INDEX sumAndLeast"))
        #expect(try built.execute().allResults().map { $0.int(forKey: "s") } == [15])
        #expect(numbers.model.callCount == count)
    }

    @Test func `indexes of one prediction share its outputs until the last is deleted`() throws {
        let numbers = try PredictedNumbers()
        let input = Expression.dictionary(["numbers": Expression.property("numbers")])
        for (name, property) in [("sums", "sum"), ("leasts", "least")] {
            let index = IndexBuilder.predictiveIndex(
                model: numbers.name,
                input: input,
                properties: [property]
            )
            try numbers.collection.createIndex(index, name: name)
        }
        #expect(numbers.model.callCount == 3)
        try numbers.collection.deleteIndex(forName: "sums")
        let query = "SELECT \(numbers.sql).sum FROM _ WHERE \(numbers.sql).least > 1"
        #expect(try numbers.rows(query).count == 2)
        #expect(numbers.model.callCount == 3)
        try numbers.collection.deleteIndex(forName: "leasts")
        #expect(try numbers.rows("SELECT \(numbers.sql).sum FROM _").count == 3)
        #expect(numbers.model.callCount == 6)
    }

    @Test(arguments: 0..<6)
    func `an index has the outputs of the documents after any changes`(round: Int) throws {
        var random = SeededGenerator(seed: UInt64(round))
        let numbers = try PredictedNumbers([])
        let collection = try numbers.collection
        let index = IndexBuilder.predictiveIndex(
            model: numbers.name,
            input: Expression.dictionary(["numbers": Expression.property("numbers")]),
            properties: ["sum"]
        )
        var expected: [String: Int] = [:]
        if round % 2 == 0 { try collection.createIndex(index, name: "sums") }
        for step in 0..<60 {
            if step == 30 { try collection.createIndex(index, name: "sums") }
            let id = "d\(Int.random(in: 0..<8, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                if let document = try collection.document(id: id) {
                    try collection.delete(document: document)
                }
                expected[id] = nil
            case 1:
                if try collection.document(id: id) != nil { try collection.purge(id: id) }
                expected[id] = nil
            case 2:
                try numbers.save(id, "no numbers")
                expected[id] = nil
            default:
                let values = (0..<3).map { _ in Int.random(in: 0..<5, using: &random) }
                try numbers.save(id, values)
                expected[id] = values.reduce(0, +)
            }
        }
        let wanted = expected.filter { $0.value >= 5 }
            .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        let sum = "\(numbers.sql).sum"
        #expect(
            try numbers.rows(
                "SELECT META().id AS id, \(sum) AS s FROM _ WHERE \(sum) >= 5 ORDER BY s, id"
            ) == wanted.map { #"{"id":"\#($0.key)","s":\#($0.value)}"# },
            "seed \(round)"
        )
        try numbers.database.performMaintenance(type: .integrityCheck)
    }

    @Test func `a document that is saved without the model has no output until the next save`()
        throws
    {
        let numbers = try PredictedNumbers()
        let index = IndexBuilder.predictiveIndex(
            model: numbers.name,
            input: Expression.dictionary(["numbers": Expression.property("numbers")]),
            properties: ["sum"]
        )
        try numbers.collection.createIndex(index, name: "sums")
        Database.prediction.unregisterModel(withName: numbers.name)
        try numbers.save("d0", [100])
        try numbers.collection.purge(id: "d1")
        try numbers.database.performMaintenance(type: .integrityCheck)
        Database.prediction.registerModel(numbers.model, withName: numbers.name)
        let query = "SELECT META().id AS id FROM _ WHERE \(numbers.sql).sum > 0 ORDER BY id"
        #expect(try numbers.rows(query) == [#"{"id":"d2"}"#])
        try numbers.save("d0", [100])
        #expect(try numbers.rows(query) == [#"{"id":"d0"}"#, #"{"id":"d2"}"#])
    }

    @Test func `an index with other parts than one prediction is rejected`() throws {
        let numbers = try PredictedNumbers()
        let sum = numbers.prediction.property("sum")
        for items in [
            [ValueIndexItem.expression(sum), ValueIndexItem.property("numbers")],
            [ValueIndexItem.expression(sum.add(Expression.int(1)))],
        ] {
            let error = #expect(throws: NSError.self) {
                try numbers.collection.createIndex(IndexBuilder.valueIndex(items: items), name: "i")
            }
            #expect(error?.code == CBLError.invalidQuery)
        }
    }

    @Test func `a vector index of a prediction calls the model when documents are saved`() throws {
        let numbers = try PredictedNumbers([[1, 2, 3], [9, 9, 9], [1, 2, 4]])
        let config = VectorIndexConfiguration(
            expression: "\(numbers.sql).numbers",
            dimensions: 3,
            centroids: 1
        )
        try numbers.collection.createIndex(withName: "vectors", config: config)
        try numbers.save("d3", [8, 8, 8])
        #expect(
            try numbers.rows(
                "SELECT META().id AS id FROM _"
                    + " ORDER BY APPROX_VECTOR_DISTANCE(\(numbers.sql).numbers, [9, 9, 8]) LIMIT 2"
            ) == [#"{"id":"d1"}"#, #"{"id":"d3"}"#]
        )
    }
}
