import DivanDatabase
import DivanJSON
import DivanLog
import Foundation
import Synchronization

/// A model of machine learning, or any other function, that queries and indexes call with `PREDICTION()`.
///
/// Source: `sqlpp.md` §6.
public protocol PredictiveModel {
    /// Computes the output for an input.
    ///
    /// Called on the thread of a query, or of a save that updates an index, inside the transaction of the save: do not
    /// write to the database. The same input must always have the same output, since indexes keep it.
    ///
    /// - Returns: The output; `nil` for none, which is MISSING in queries.
    func predict(input: DictionaryObject) -> DictionaryObject?
}

/// The models that are registered for the process.
public final class Prediction: Sendable {
    init() {}

    /// Registers a model for all databases, or replaces the one with this name.
    ///
    /// Register it before opening databases that have indexes of its output: a document that is saved without the
    /// model has no output in them.
    public func registerModel(_ model: any PredictiveModel, withName name: String) {
        let calls = ModelCalls(model)
        PredictiveModels.register({ calls.output(for: $0, in: $1) }, named: name)
    }

    /// Removes a model; does nothing if there is none with this name.
    public func unregisterModel(withName name: String) {
        PredictiveModels.unregister(named: name)
    }
}

extension Database {
    /// The models that `PREDICTION()` calls, for all databases of the process.
    public static let prediction = Prediction()

    /// The open database whose data is in a file; an empty path stands for a database in memory.
    @_spi(Modern) public static func open(atFile file: String) -> Database? {
        living.all.first { database in
            database.path.map { file.hasPrefix($0) } ?? file.isEmpty
        }
    }
}

/// Calls a model, one call at a time.
///
/// Unchecked: models of applications need not be `Sendable`; `lock` lets one thread at a time call the model. A model
/// whose prediction runs a query with a prediction calls it again on the same thread, so the lock is recursive.
private final class ModelCalls: @unchecked Sendable {
    private let model: any PredictiveModel
    private let lock = NSRecursiveLock()

    init(_ model: any PredictiveModel) {
        self.model = model
    }

    func output(for input: [UInt8], in file: String) -> [UInt8]? {
        guard let object = try? JSON(parsing: input).object else { return nil }
        let database = Database.open(atFile: file)
        return lock.withLock {
            guard
                let output = model.predict(input: DictionaryObject(Members(object, in: database)))
            else { return nil }
            let value = Value(output)
            if let unstorable = value.unstorable() {
                Journal.query.warning("The output of a model cannot be used: \(unstorable)")
                return nil
            }
            return try? value.queryJSON.canonicalBytes()
        }
    }
}
