@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanQuery
public import Foundation

extension DocumentQuery where Model: Sendable {
    /// The current documents, and all documents again each time a commit changes them.
    ///
    /// Commits within a quarter of a second are reported together. A slow loop skips outdated results. Ends when the
    /// database is closed.
    ///
    /// ```swift
    /// for try await open in notes.documents(where: #Predicate<Note> { !$0.done }).live() { show(open) }
    /// ```
    public func live() -> Updates<[Model], any Error> {
        Updates(bufferLimit: 1) { continuation in
            collection.database.follow(collection.place, continuation) { [self] in
                (try statement(), [:])
            } decode: { rows, _ in
                try rows.map { try model($0) }
            }
        }
    }

    /// The current documents that match the type, again each time a commit changes them; reports the others.
    ///
    /// Works like ``live()``, and does not end at a document that does not match the type; see
    /// `all(skippingInvalid:)`.
    ///
    /// - Parameter report: Called on an internal thread, again for the same documents each time.
    /// - Returns: The sequence.
    public func live(
        skippingInvalid report: @escaping @Sendable (_ id: String, _ error: DivanError) -> Void
    ) -> Updates<[Model], any Error> {
        Updates(bufferLimit: 1) { continuation in
            collection.database.follow(collection.place, continuation) { [self] in
                (try statement(), [:])
            } decode: { rows, _ in
                try rows.compactMap { try model($0, skippingInvalid: report) }
            }
        }
    }
}

extension DocumentCollection {
    /// The current documents of a type that meet a condition, and all documents again each time they change.
    ///
    /// See ``documents(of:where:orderBy:limit:)-(_,_,DocumentOrder<Model>...,_)`` and ``DocumentQuery/live()``.
    public func live<Model: Decodable & Sendable>(
        of type: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy orders: DocumentOrder<Model>...,
        limit: Int? = nil
    ) -> Updates<[Model], any Error> {
        DocumentQuery(self, predicate, orders, limit).live()
    }

    /// The current documents of a type that meet a condition, in ascending order of a property, again each time they
    /// change.
    ///
    /// See ``documents(of:where:orderBy:limit:)-(_,_,DocumentOrder<Model>...,_)`` and ``DocumentQuery/live()``.
    public func live<Model: Decodable & Sendable, Value: Comparable>(
        of type: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy property: any KeyPath<Model, Value> & Sendable,
        limit: Int? = nil
    ) -> Updates<[Model], any Error> {
        DocumentQuery(self, predicate, [.ascending(property)], limit).live()
    }
}

extension Database {
    /// The rows of a query, and all rows again each time a commit changes them; see ``DocumentQuery/live()``.
    public func live(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:]
    ) -> Updates<Rows, any Error> {
        live(sql, parameters) { $0 }
    }

    /// The rows of a query as a type, and all rows again each time a commit changes them.
    ///
    /// See `query(_:_:)`, ``Rows/rows(as:)`` and ``DocumentQuery/live()``.
    public func live<Model: Decodable & Sendable>(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:],
        as type: Model.Type
    ) -> Updates<[Model], any Error> {
        live(sql, parameters) { try $0.rows(as: type) }
    }

    private func live<Element: Sendable>(
        _ sql: String,
        _ parameters: [String: DocumentValue],
        _ convert: @escaping @Sendable (Rows) throws -> Element
    ) -> Updates<Element, any Error> {
        Updates(bufferLimit: 1) { continuation in
            self.follow(self.place, continuation) {
                // Checked here, so that a missing parameter is an error and not only logged.
                _ = try RunnableQuery(sql: sql, parameters, of: self)
                return (try QueryStatement(sql: sql), parameters)
            } decode: { rows, statement in
                let query = try RunnableQuery(statement, parameters, of: self)
                return try convert(Rows(query.columns, rows))
            }
        }
    }

    /// Starts a live query; returns how to end it.
    fileprivate func follow<Element: Sendable>(
        _ place: String,
        _ continuation: Updates<Element, any Error>.Continuation,
        _ make: () throws -> (QueryStatement, [String: DocumentValue]),
        decode: @escaping @Sendable ([[QueryValue]], QueryStatement) throws -> Element
    ) -> @Sendable () -> Void {
        do {
            let (statement, parameters) = try make()
            return official.followRows(
                of: statement,
                parameters: parameters.mapValues(\.json),
                ended: { continuation.finish() },
                { outcome in
                    do {
                        continuation.yield(try decode(outcome.get(), statement))
                    } catch {
                        continuation.finish(throwing: DivanError(error, place: place))
                    }
                }
            )
        } catch {
            continuation.finish(throwing: DivanError(error, place: place))
            return {}
        }
    }
}
