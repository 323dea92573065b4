import Synchronization

/// The objects that an immutable container has handed out, each under its key: asked again for that
/// key, it hands out the same one.
///
/// Safe from several threads. Nothing is allocated until a container or blob is asked for.
struct HandedOut<Key: Hashable & Sendable>: ~Copyable, Sendable {
    let objects = Mutex<[Key: HandedObject<AnyObject>]>([:])

    /// The object for `key`, made at the first call.
    borrowing func object(at key: Key, _ make: () -> AnyObject) -> AnyObject {
        let handed = objects.withLock { objects in
            if let known = objects[key] { return known }
            let new = HandedObject<AnyObject>(object: make())
            objects[key] = new
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
