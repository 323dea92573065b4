internal import DivanJSON
internal import Synchronization

/// The models that `PREDICTION()` calls: functions of the application, by name.
///
/// They are registered for the process, not for a database. Can be used from any thread.
public enum PredictiveModels {
    /// Computes the output for an input.
    ///
    /// It runs on the thread of a query, or of a save that updates an index, inside its transaction: it must not write
    /// to the database. It is called by one thread of a database at a time, but by several of different ones.
    ///
    /// - Parameters:
    ///   - input: An object as JSON text.
    ///   - file: The path of the database's file; empty if it is in memory.
    /// - Returns: An object as JSON text; `nil` for no output.
    public typealias Model = @Sendable (_ input: [UInt8], _ file: String) -> [UInt8]?

    private static let models = Mutex<[ExactText: Model]>([:])

    /// Registers a model, or replaces the one with this name.
    public static func register(_ model: @escaping Model, named name: String) {
        models.withLock { $0[ExactText(name)] = model }
    }

    /// Removes a model; does nothing if there is none.
    public static func unregister(named name: String) {
        models.withLock { $0[ExactText(name)] = nil }
    }

    /// The model with this name; `nil` if there is none.
    public static func model(named name: String) -> Model? {
        models.withLock { $0[ExactText(name)] }
    }
}
