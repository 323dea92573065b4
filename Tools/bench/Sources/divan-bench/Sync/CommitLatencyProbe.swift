import CouchbaseLiteSwift
import Dispatch
import DivanPlatform
import Foundation
import Synchronization

/// Measures how long it takes from the call of `save` in one process until a listener is called in
/// the other: each document carries the time before its save.
final class CommitLatencyProbe: Sendable {
    private let delays = Mutex<[Double]>([])
    private let arrival = DispatchSemaphore(value: 0)

    init(_ collection: CouchbaseLiteSwift.Collection) {
        let queue = DispatchQueue(label: "stamps")
        _ = collection.addChangeListener(queue: queue) { [weak self] change in
            let now = monotonicSeconds()
            for id in change.documentIDs {
                guard let stamp = try? change.collection.document(id: id)?.double(forKey: "stamp"),
                    stamp > 0
                else { continue }
                self?.delays.withLock { $0.append(now - stamp) }
                self?.arrival.signal()
            }
        }
    }

    /// Waits for this many documents, and returns the seconds that each took.
    func delays(_ count: Int) throws -> [Double] {
        for _ in 0..<count {
            guard arrival.wait(timeout: .now() + 10) == .success else {
                throw BenchFailure("a stamped document did not arrive within ten seconds")
            }
        }
        return delays.withLock { $0 }
    }

    /// Saves stamped documents, each a few milliseconds after the previous one.
    static func save(_ count: Int, in collection: CouchbaseLiteSwift.Collection) throws {
        for index in 0..<count {
            CurrentThread.sleep(milliseconds: 3)
            let document = MutableDocument(id: "stamp-\(index)")
            document.setString("a short text", forKey: "text")
            document.setDouble(monotonicSeconds(), forKey: "stamp")
            try collection.save(document: document)
        }
    }
}
