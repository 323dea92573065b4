import Synchronization

/// The objects that an immutable container has returned, by key, so that it returns the same object for a key each
/// time.
///
/// Safe to use from several threads. Nothing is allocated until a container or blob is requested.
struct ReturnedObjects<Key: Hashable & Sendable>: ~Copyable, Sendable {
    let objects = Mutex<[Key: ReturnedObject<AnyObject>]>([:])

    /// The object for `key`, created on the first call.
    borrowing func object(at key: Key, _ make: () -> AnyObject) -> AnyObject {
        let handed = objects.withLock { objects in
            if let known = objects[key] { return known }
            let new = ReturnedObject<AnyObject>(object: make())
            objects[key] = new
            return new
        }
        return handed.object
    }
}

/// Unchecked: the object is an immutable container or a blob, both of which may be used from several threads at once.
struct ReturnedObject<Object: AnyObject>: @unchecked Sendable {
    let object: Object
}
