internal import DivanDatabase
internal import DivanExchange
internal import DivanQuery
internal import DivanRevisions
public import Foundation

extension DocumentQuery {
    /// Writes the documents of the query to a file, in its order; see `Database.export(to:as:includingBlobs:progress:)`.
    ///
    /// ```swift
    /// try orders.documents(where: #Predicate<Order> { $0.year == 2026 }).export(to: URL(filePath: "2026.csv"))
    /// ```
    ///
    /// The file contains complete documents, also properties that the type does not have.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - format: Its format; `nil` to choose by its extension.
    ///   - includingBlobs: Whether it contains the content of blobs, as base64 or in a table; not for CSV.
    ///   - progress: Called for each document, some formats twice. With it, the query runs once more, to count them.
    /// - Returns: What was written.
    /// - Throws: The same errors as the export of a database, and as `ids()`.
    @discardableResult
    public func export(
        to file: URL,
        as format: Database.ExportFormat? = nil,
        includingBlobs: Bool = false,
        progress: ((Database.ExchangeProgress) throws -> Void)? = nil
    ) throws -> Database.ExportSummary {
        try export(
            to: file,
            as: format,
            includingBlobs: includingBlobs,
            counting: progress != nil,
            QueryControl(),
            progress
        )
    }

    fileprivate func export(
        to file: URL,
        as format: Database.ExportFormat?,
        includingBlobs: Bool,
        counting countsFirst: Bool,
        _ control: QueryControl,
        _ progress: ((Database.ExchangeProgress) throws -> Void)?
    ) throws -> Database.ExportSummary {
        let query = try DivanError.converting(place: collection.place) { try runnableForIDs() }
        return try collection.database.export(
            collection,
            choosing: { _, snapshot, visit in
                try query.forEachRow(control, in: snapshot) { row in
                    if case .string(let id)? = row.first { try visit(StoredID(unchecked: id)) }
                }
            },
            countingFirst: countsFirst,
            to: file,
            as: format,
            includingBlobs: includingBlobs,
            progress
        )
    }
}

extension DocumentQuery where Model: Sendable {
    /// Writes the documents of the query to a file; see the synchronous form.
    ///
    /// Cancelling the task stops the export.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func export(
        to file: URL,
        as format: Database.ExportFormat? = nil,
        includingBlobs: Bool = false,
        progress: (@Sendable (Database.ExchangeProgress) throws -> Void)? = nil
    ) async throws -> Database.ExportSummary {
        try await Background.cancelling { control in
            try await Background.stoppable(progress) {
                try export(
                    to: file,
                    as: format,
                    includingBlobs: includingBlobs,
                    counting: progress != nil,
                    control,
                    $0
                )
            }
        }
    }
}
