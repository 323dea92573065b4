import Dispatch
package import DivanStore
import Foundation

extension Collection {
    /// Makes an index that SQL++ describes, blocks no thread of tasks, and tells how far it is.
    ///
    /// As ``createIndex(withName:config:)``, in one transaction, which other writes wait for. A task that
    /// is cancelled leaves the indexes as they were.
    ///
    /// ```swift
    /// let config = ValueIndexConfiguration(["price"])
    /// try await menu.createIndex(withName: "byPrice", config: config) { share in
    ///     print("\(Int(share * 100)) %")
    /// }
    /// ```
    ///
    /// An addition to the official API.
    ///
    /// - Parameters:
    ///   - name: The name, one among those of the collection.
    ///   - config: What it holds.
    ///   - progress: Gets the share that is done, 0 to 1 and never less than before, on a queue of its
    ///     own; not after the call has returned.
    /// - Throws: As ``createIndex(withName:config:)``; `CancellationError`.
    public func createIndex(
        withName name: String,
        config: any IndexConfiguration,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        let plan = try indexPlan { try IndexPlan(config, of: $0) }
        try await watchingIndexes(progress) { try self.createIndex(plan, name, watch: $0) }
    }

    /// Makes an index that is built in code, blocks no thread of tasks, and tells how far it is.
    ///
    /// As ``createIndex(withName:config:progress:)``.
    public func createIndex(
        _ index: any Index,
        name: String,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        let plan = try indexPlan { try IndexPlan(index, of: $0) }
        try await watchingIndexes(progress) { try self.createIndex(plan, name, watch: $0) }
    }

    /// Makes an index under a watch, which may stop it.
    ///
    /// - Throws: As ``createIndex(withName:config:)``; `CancellationError`.
    package func createIndex(
        withName name: String,
        config: any IndexConfiguration,
        watch: IndexWatch
    ) throws {
        let plan = try indexPlan { try IndexPlan(config, of: $0) }
        try untranslated { try createIndex(plan, name, watch: watch) }
    }
}

extension Database {
    /// Makes all indexes anew and compares them with the documents, blocks no thread of tasks, and tells
    /// how far it is.
    ///
    /// As `performMaintenance(type: .reindex)`. A task that is cancelled leaves each collection with the
    /// indexes of before, or with new ones. An addition to the official API.
    ///
    /// - Parameter progress: As that of ``Collection/createIndex(withName:config:progress:)``.
    /// - Throws: As ``performMaintenance(type:)``; `CancellationError`.
    public func reindex(progress: @escaping @Sendable (Double) -> Void) async throws {
        let store = try openStore()
        try await watchingIndexes(progress) { watch in
            try translatingErrors { _ = try store.reindex(watch: watch) }
        }
    }
}

/// Runs `body` on a thread of its own, with a watch that the task's cancellation stops.
private func watchingIndexes(
    _ progress: @escaping @Sendable (Double) -> Void,
    _ body: @escaping @Sendable (IndexWatch) throws -> Void
) async throws {
    let telling = DispatchQueue(label: "divan.index.progress")
    let watch = IndexWatch { share in telling.async { progress(share) } }
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "divan.index").async {
                let result = Swift.Result { try untranslated { try body(watch) } }
                telling.async { ended.resume(with: result) }
            }
        }
    } onCancel: {
        watch.cancel()
    }
}

/// Lets a cancellation be what it is, and not an error of the API.
private func untranslated(_ body: () throws -> Void) throws {
    do {
        try body()
    } catch {
        throw (error as NSError).userInfo[NSUnderlyingErrorKey] as? CancellationError ?? error
    }
}
