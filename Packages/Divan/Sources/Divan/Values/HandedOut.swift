import Synchronization

/// The objects that an immutable container has handed out, each for its place: asked again for that
/// place, it hands out the same one.
///
/// Safe from several threads. Nothing is allocated until a container or blob is asked for.
struct HandedOut<Place: Hashable & Sendable>: ~Copyable, Sendable {
    let objects = Mutex<[Place: HandedObject<AnyObject>]>([:])

    /// The object for `place`, made at the first call.
    borrowing func object(at place: Place, _ make: () -> AnyObject) -> AnyObject {
        let handed = objects.withLock { objects in
            if let known = objects[place] { return known }
            let new = HandedObject<AnyObject>(object: make())
            objects[place] = new
            return new
        }
        return handed.object
    }
}

/// Unchecked: what is held is an immutable container or a blob, and both may be used from several
/// threads at once.
struct HandedObject<Object: AnyObject>: @unchecked Sendable {
    let object: Object
}
