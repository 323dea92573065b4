internal import DivanQuery

extension DocumentQuery {
    /// Returns the documents that match the type, and reports the others.
    ///
    /// For collections in which newer programs store documents that this one cannot read:
    ///
    /// ```swift
    /// let notes = try query.all(skippingInvalid: { id, error in log("\(id) is left out: \(error)") })
    /// ```
    ///
    /// A limit also counts the documents that are left out.
    ///
    /// - Parameter report: Called for each document that does not match the type, or has a `Data` property whose content
    ///   is not in the database, with its ID and the error that `all()` would throw.
    /// - Returns: The documents that match.
    /// - Throws: The same errors as `all()` for anything else.
    public func all(
        skippingInvalid report: (_ id: String, _ error: DivanError) -> Void
    ) throws -> [Model] {
        try DivanError.converting(place: collection.place) {
            var models: [Model] = []
            try runnable().forEachRow { row in
                if let model = try model(row, skippingInvalid: report) { models.append(model) }
            }
            return models
        }
    }

    /// The document of a row; `nil` if it does not match the type, which is reported.
    func model(
        _ row: [QueryValue],
        skippingInvalid report: (_ id: String, _ error: DivanError) -> Void
    ) throws -> Model? {
        do {
            return try model(row)
        } catch let error as DivanError {
            guard error.code == .decodingFailed || error.code == .notFound,
                case .string(let id)? = row.first
            else { throw error }
            report(id, error)
            return nil
        }
    }
}

extension DocumentQuery where Model: Sendable {
    /// Returns the documents that match the type, and reports the others; see the synchronous form.
    ///
    /// - Parameter report: Called on another thread.
    /// - Returns: The documents that match.
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func all(
        skippingInvalid report: @escaping @Sendable (_ id: String, _ error: DivanError) -> Void
    ) async throws -> [Model] {
        try await Background.reading { try all(skippingInvalid: report) }
    }
}
