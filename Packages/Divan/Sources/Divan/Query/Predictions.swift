@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON

extension Database {
    /// Registers a function that queries and indexes call with `PREDICTION(name, input)`, such as a model of machine
    /// learning.
    ///
    /// ```swift
    /// Database.registerPrediction("review") { input in
    ///     guard let text = input["text"]?.string else { return nil }
    ///     return ["mood": text.contains("love") ? "happy" : "neutral"]
    /// }
    /// let query = "SELECT PREDICTION(review, {'text': story}).mood FROM chairs"
    /// ```
    ///
    /// It applies to all databases of the process, and replaces an earlier function of this name. Register it before
    /// opening databases with indexes of its output: a document that is saved without the function has no output there.
    ///
    /// - Parameters:
    ///   - name: The name in queries.
    ///   - predict: Computes the output for an input; both are objects. `nil`, and any other value, is MISSING in queries.
    ///     It runs on the thread of a query or of a save, inside its transaction, and on several threads at a time: it
    ///     must be fast, and must not write to the database. The same input must always have the same output, since
    ///     indexes keep it.
    public static func registerPrediction(
        _ name: String,
        _ predict: @escaping @Sendable (_ input: DocumentValue) -> DocumentValue?
    ) {
        PredictiveModels.register(
            { text, file in
                guard let input = try? JSON(parsing: text, limits: StorageLimits.bodyText) else {
                    return nil
                }
                let contents = BlobContents(database: OfficialDatabase.open(atFile: file))
                guard let output = predict(DocumentValue(input, contents))?.json,
                    case .object = output
                else { return nil }
                return try? output.canonicalBytes()
            },
            named: name
        )
    }

    /// Removes a function that ``registerPrediction(_:_:)`` registered; does nothing if there is none with this name.
    public static func removePrediction(_ name: String) {
        PredictiveModels.unregister(named: name)
    }
}
