public import DivanRevisions
internal import Synchronization

/// What one commit changed in one collection.
///
/// Source: `behaviour.md` §16.
public struct StoreChange: Equatable, Sendable {
    /// The collection.
    public var collection: CollectionPath
    /// The number of the collection, which distinguishes it from earlier collections of the same name, if known.
    public var number: CollectionID?
    /// The changed documents, each once, in the order of their last change.
    public var changes: [DocumentChange]
    /// The origin of the changes.
    public var origin: ChangeOrigin
    /// Whether the collection was deleted; no documents are listed then.
    public var endsCollection: Bool
    /// Whether the collection was created, or one of its indexes was created, replaced or deleted; no documents are
    /// listed then.
    public var reshapesCollection: Bool

    /// Creates the notification of one commit.
    public init(
        collection: CollectionPath,
        number: CollectionID? = nil,
        changes: [DocumentChange],
        origin: ChangeOrigin,
        endsCollection: Bool = false,
        reshapesCollection: Bool = false
    ) {
        self.collection = collection
        self.number = number
        self.changes = changes
        self.origin = origin
        self.endsCollection = endsCollection
        self.reshapesCollection = reshapesCollection
    }
}

/// A document that was saved, received or purged, or that expired.
public struct DocumentChange: Equatable, Sendable {
    /// The document.
    public var documentID: DocumentID
    /// Its new sequence; 0 after a purge.
    public var sequence: UInt64

    /// Creates the notification for one document.
    public init(documentID: DocumentID, sequence: UInt64) {
        self.documentID = documentID
        self.sequence = sequence
    }

    /// Whether the document was purged.
    public var isPurge: Bool { sequence == 0 }
}

/// Distinguishes the changes of one writer from others, so that a replicator recognizes its own changes.
public struct ChangeOrigin: Hashable, Sendable {
    private let number: UInt64
    private static let last = Atomic<UInt64>(0)

    /// The application, and everything else without a separate origin.
    public static let local = ChangeOrigin(number: 0)

    /// Creates an origin that differs from every other in this process.
    public init() {
        self.init(number: Self.last.add(1, ordering: .relaxed).newValue)
    }

    private init(number: UInt64) {
        self.number = number
    }
}

/// Keeps a change handler registered while this object exists, or until `cancel()`.
///
/// After `cancel()` returns, no new call begins; a call that is running on another thread may finish.
public final class StoreObservation: Sendable {
    private let remove: @Sendable () -> Void

    init(remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    deinit {
        remove()
    }

    /// Ends the registration; a second call does nothing.
    public func cancel() {
        remove()
    }
}

/// The handlers of one store, or of all stores of one file.
@_spi(Database) public final class StoreObservers: Sendable {
    typealias Observer = @Sendable (StoreChange) -> Void

    private struct Registered {
        var lastNumber = 0
        var handlers: [(number: Int, hearsShapes: Bool, handler: Observer)] = []
    }

    private let registered = Mutex(Registered())

    /// Creates an empty list.
    public init() {}

    func add(hearsShapes: Bool, _ handler: @escaping Observer) -> StoreObservation {
        let number = registered.withLock { registered in
            registered.lastNumber += 1
            registered.handlers.append((registered.lastNumber, hearsShapes, handler))
            return registered.lastNumber
        }
        return StoreObservation { [weak self] in
            // Moved out of the lock: releasing what the handler holds may cancel another observation.
            let removed = self?.registered.withLock { registered in
                let index = registered.handlers.firstIndex { $0.number == number }
                return index.map { registered.handlers.remove(at: $0) }
            }
            withExtendedLifetime(removed) {}
        }
    }

    /// Calls every handler that a change concerns, in order of registration, on the calling thread.
    func notify(_ changes: [StoreChange]) {
        guard !changes.isEmpty else { return }
        let handlers = registered.withLock { $0.handlers }
        for change in changes {
            for observer in handlers where observer.hearsShapes || !change.reshapesCollection {
                observer.handler(change)
            }
        }
    }
}
