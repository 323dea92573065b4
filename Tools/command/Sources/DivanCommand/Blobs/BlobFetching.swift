import CouchbaseLiteSwift
import Dispatch
import DivanCommandLine
import Foundation
import Synchronization

/// Fetches blobs from a peer over as few connections as possible.
final class BlobFetching: Sendable {
    /// The result of fetching them.
    struct Outcome: Sendable {
        var count = 0
        var byteCount: UInt64 = 0
        /// Bytes that earlier attempts had received.
        var resumedByteCount: UInt64 = 0
        /// A sentence for each that failed.
        var failures: [String] = []
        var firstError: (any Error)?
    }

    private struct State {
        var outcome = Outcome()
        /// Progress of those being fetched, by place.
        var arriving: [Int: BlobProgress] = [:]
    }

    /// Fetches that are started at a time: enough for two connections.
    private static let begunCount = 2_000

    private let contents: [MissingBlobs.Content]
    private let configuration: ReplicatorConfiguration
    private let progress: ProgressLine
    private let totalByteCount: UInt64
    private let state = Mutex(State())

    init(
        _ contents: [MissingBlobs.Content],
        _ configuration: ReplicatorConfiguration,
        _ progress: ProgressLine
    ) {
        self.contents = contents
        self.configuration = configuration
        self.progress = progress
        totalByteCount = contents.reduce(0) { $0 &+ $1.blob.length }
    }

    /// Waits until each has arrived or failed, or until it is interrupted.
    func wait(_ interruption: Interruption) -> Outcome {
        let ended = DispatchSemaphore(value: 0)
        let task = Task { [self] in
            await withTaskGroup(of: Void.self) { group in
                for place in contents.indices {
                    if place >= Self.begunCount { _ = await group.next() }
                    guard !Task.isCancelled else { break }
                    group.addTask { await self.fetch(place) }
                }
            }
            ended.signal()
        }
        interruption.onRequest { task.cancel() }
        ended.wait()
        progress.finish()
        return state.withLock { $0.outcome }
    }

    private func fetch(_ place: Int) async {
        let content = contents[place]
        do {
            try await content.blob.fetch(from: configuration) { [self] in note($0, of: place) }
            state.withLock { state in
                let last = state.arriving.removeValue(forKey: place)
                state.outcome.count += 1
                state.outcome.byteCount += last?.receivedByteCount ?? content.blob.length
                state.outcome.resumedByteCount += last?.resumedByteCount ?? 0
            }
            show()
        } catch is CancellationError {
            return
        } catch {
            let text = (error as NSError).localizedDescription
            state.withLock { state in
                state.arriving[place] = nil
                state.outcome.failures.append("\(content.documentID): \(text)")
                state.outcome.firstError = state.outcome.firstError ?? error
            }
        }
    }

    private func note(_ bytes: BlobProgress, of place: Int) {
        state.withLock { $0.arriving[place] = bytes }
        show()
    }

    private func show() {
        let reading = state.withLock { state in
            let underway = state.arriving.values.reduce(UInt64(0)) { $0 &+ $1.receivedByteCount }
            return ProgressLine.Reading(
                documents: UInt64(state.outcome.count),
                bytes: state.outcome.byteCount &+ underway,
                totalBytes: totalByteCount
            )
        }
        progress.show(reading)
    }
}
