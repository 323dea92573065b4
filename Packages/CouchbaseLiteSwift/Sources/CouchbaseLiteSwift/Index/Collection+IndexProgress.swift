import Dispatch
package import DivanDatabase
import Foundation

extension Collection {
    /// Creates an index from SQL++ expressions without blocking a task's thread, and reports progress.
    ///
    /// Works like ``createIndex(withName:config:)``, in one transaction; other writes wait. If the task is cancelled,
    /// the indexes do not change.
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
    ///   - name: The name, unique within the collection.
    ///   - config: What the index contains.
    ///   - progress: Called on its own queue with the fraction that is done, from 0 to 1; not called after the method
    ///     returns.
    /// - Throws: The same errors as ``createIndex(withName:config:)``; `CancellationError`.
    public func createIndex(
        withName name: String,
        config: any IndexConfiguration,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        let plan = try indexPlan { try IndexPlan(config, of: $0) }
        try await watchingIndexes(progress) { try self.createIndex(plan, name, control: $0) }
    }

    /// Creates an index built with `IndexBuilder` without blocking a task's thread, and reports progress.
    ///
    /// See ``createIndex(withName:config:progress:)``.
    public func createIndex(
        _ index: any Index,
        name: String,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        let plan = try indexPlan { try IndexPlan(index, of: $0) }
        try await watchingIndexes(progress) { try self.createIndex(plan, name, control: $0) }
    }

    /// Creates an index; `control` can stop it.
    ///
    /// - Throws: As ``createIndex(withName:config:)``; `CancellationError`.
    package func createIndex(
        withName name: String,
        config: any IndexConfiguration,
        control: IndexBuildControl
    ) throws {
        let plan = try indexPlan { try IndexPlan(config, of: $0) }
        try untranslated { try createIndex(plan, name, control: control) }
    }
}

extension Database {
    /// Rebuilds and verifies all indexes without blocking a task's thread, and reports progress.
    ///
    /// Works like `performMaintenance(type: .reindex)`. If the task is cancelled, each collection has either its old or
    /// its new indexes. An addition to the official API.
    ///
    /// - Parameter progress: See ``Collection/createIndex(withName:config:progress:)``.
    /// - Throws: The same errors as ``performMaintenance(type:)``; `CancellationError`.
    public func reindex(progress: @escaping @Sendable (Double) -> Void) async throws {
        let store = try openStore()
        try await watchingIndexes(progress) { control in
            try translatingErrors { _ = try store.reindex(control: control) }
        }
    }
}

/// Runs `body` on its own thread with a control that is cancelled together with the task.
private func watchingIndexes(
    _ progress: @escaping @Sendable (Double) -> Void,
    _ body: @escaping @Sendable (IndexBuildControl) throws -> Void
) async throws {
    let telling = DispatchQueue(label: "divan.index.progress")
    let control = IndexBuildControl { share in telling.async { progress(share) } }
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "divan.index").async {
                let result = Swift.Result { try untranslated { try body(control) } }
                telling.async { ended.resume(with: result) }
            }
        }
    } onCancel: {
        control.cancel()
    }
}

/// Passes a cancellation on as it is, rather than as an API error.
private func untranslated(_ body: () throws -> Void) throws {
    do {
        try body()
    } catch {
        throw (error as NSError).userInfo[NSUnderlyingErrorKey] as? CancellationError ?? error
    }
}
