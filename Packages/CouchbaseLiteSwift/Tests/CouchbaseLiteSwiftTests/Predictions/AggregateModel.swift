import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// A model that computes the sum, the least and the greatest of `numbers`, and counts its calls.
final class AggregateModel: PredictiveModel, Sendable {
    private let calls = Atomic<Int>(0)

    var callCount: Int { calls.load(ordering: .relaxed) }

    func predict(input: DictionaryObject) -> DictionaryObject? {
        calls.add(1, ordering: .relaxed)
        guard let numbers = input.array(forKey: "numbers") else { return nil }
        let values = (0..<numbers.count).map { numbers.int(at: $0) }
        let output = MutableDictionaryObject()
        output.setInt(values.reduce(0, +), forKey: "sum")
        output.setInt(values.min() ?? 0, forKey: "least")
        output.setInt(values.max() ?? 0, forKey: "greatest")
        output.setArray(MutableArrayObject(data: values), forKey: "numbers")
        return output
    }
}

/// A model that counts the characters of `text`, a string or a blob.
struct TextModel: PredictiveModel {
    func predict(input: DictionaryObject) -> DictionaryObject? {
        let text =
            input.string(forKey: "text")
            ?? input.blob(forKey: "text")?.content.map { String(decoding: $0, as: UTF8.self) }
        guard let text else { return nil }
        return MutableDictionaryObject(data: ["count": text.count, "type": "text"])
    }
}

/// A database, and a model with a name of its own, since models are global.
struct PredictedNumbers {
    let home: TemporaryDatabase
    let model = AggregateModel()
    let name = "model_\(UInt32.random(in: 0 ..< .max))"

    var database: Database { home.database }
    var collection: CouchbaseLiteSwift.Collection {
        get throws { try database.defaultCollection() }
    }
    /// The prediction in SQL++.
    var sql: String { "PREDICTION(\(name), {'numbers': numbers})" }
    /// The prediction of the query builder.
    var prediction: PredictionFunction {
        Function.prediction(
            model: name,
            input: Expression.dictionary(["numbers": Expression.property("numbers")])
        )
    }

    /// Saves documents `d0`, `d1`, … with these numbers, and registers the model.
    init(_ numbers: [[Int]] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]) throws {
        home = try TemporaryDatabase()
        for (index, numbers) in numbers.enumerated() { try save("d\(index)", numbers) }
        Database.prediction.registerModel(model, withName: name)
    }

    func save(_ id: String, _ numbers: Any) throws {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setValue(numbers, forKey: "numbers")
        try collection.save(document: document)
    }

    func rows(_ query: String) throws -> [String] {
        try database.createQuery(query).execute().map { $0.toJSON() }
    }

    func explain(_ query: String) throws -> String {
        try database.createQuery(query).explain()
    }
}
