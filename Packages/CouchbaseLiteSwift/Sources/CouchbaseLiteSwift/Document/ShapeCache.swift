import DivanJSON
import Synchronization

/// The shapes of a database's documents, kept for the next full read.
final class ShapeCache: Sendable {
    /// How many threads that read at the same time find shapes here.
    private static let count = 4
    private let idle = Mutex<[ObjectShapes]>([])

    /// Shapes that no other thread changes meanwhile.
    func take() -> ObjectShapes { idle.withLock { $0.popLast() } ?? ObjectShapes() }

    func giveBack(_ shapes: ObjectShapes) {
        idle.withLock { idle in
            if idle.count < Self.count { idle.append(shapes) }
        }
    }
}
