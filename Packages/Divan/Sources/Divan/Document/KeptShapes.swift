import DivanJSON
import Synchronization

/// What the documents of a database look like, for whoever reads the next one whole.
final class KeptShapes: Sendable {
    /// Threads that read at once and each find shapes here.
    private static let count = 4
    private let idle = Mutex<[ObjectShapes]>([])

    /// Shapes that nobody else changes meanwhile.
    func take() -> ObjectShapes { idle.withLock { $0.popLast() } ?? ObjectShapes() }

    func giveBack(_ shapes: ObjectShapes) {
        idle.withLock { idle in
            if idle.count < Self.count { idle.append(shapes) }
        }
    }
}
