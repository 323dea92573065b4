public import Dispatch
import DivanLog

extension Collection {
    /// Adds a listener for changes to any document; it runs on `Database.defaultListenerQueue`.
    ///
    /// It is called after each later commit, through any `Database` object of this process.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        listener: @escaping @Sendable (CollectionChange) -> Void
    ) -> ListenerToken {
        addChangeListener(queue: nil, listener: listener)
    }

    /// Adds a listener for changes to any document; it runs on `queue`.
    ///
    /// Changes refer to this collection object as long as it exists.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        queue: DispatchQueue?,
        listener: @escaping @Sendable (CollectionChange) -> Void
    ) -> ListenerToken {
        guard isListenable else { return ListenerToken(removal: nil) }
        // Weak, because the database keeps its listeners.
        let token = database.changes.listeners(of: self).add(queue: queue) { [weak self] change in
            listener(self.map { change.told(of: $0) } ?? change)
        }
        if !isValid { token.remove() }
        return token
    }

    /// Adds a listener for one document, which may not exist yet; it runs on `Database.defaultListenerQueue`.
    @preconcurrency
    @discardableResult
    public func addDocumentChangeListener(
        id: String,
        listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        addDocumentChangeListener(id: id, queue: nil, listener: listener)
    }

    /// Adds a listener for one document, which may not exist yet; it runs on `queue`.
    @preconcurrency
    @discardableResult
    public func addDocumentChangeListener(
        id: String,
        queue: DispatchQueue?,
        listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        guard isListenable else { return ListenerToken(removal: nil) }
        let token = database.changes.addDocumentListener(id, in: self, queue: queue) {
            [weak self] change in
            listener(self.map { change.told(of: $0) } ?? change)
        }
        if !isValid { token.remove() }
        return token
    }

    /// Adds a listener for changes to any document; it runs on the main actor.
    ///
    /// The program must run the main queue: with a main run loop, `dispatchMain()` or an `async` main. An addition to
    /// the official API.
    @discardableResult
    public func addChangeListener(
        on actor: MainActor.Type,
        listener: @escaping @MainActor @Sendable (CollectionChange) -> Void
    ) -> ListenerToken {
        addChangeListener(queue: .main) { change in MainActor.assumeIsolated { listener(change) } }
    }

    /// Adds a listener for one document, which may not exist yet; it runs on the main actor.
    ///
    /// An addition to the official API.
    @discardableResult
    public func addDocumentChangeListener(
        id: String,
        on actor: MainActor.Type,
        listener: @escaping @MainActor @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        addDocumentChangeListener(id: id, queue: .main) { change in
            MainActor.assumeIsolated { listener(change) }
        }
    }

    /// Returns the changes to any document from now on, for `for await`.
    ///
    /// Ends when the database closes or you leave the loop. At most `limit` changes are buffered; then the oldest is
    /// dropped, so read quickly or raise the limit. An addition to the official API.
    public func changes(bufferingNewest limit: Int = 1_024) -> AsyncStream<CollectionChange> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            guard isListenable else {
                continuation.finish()
                return
            }
            let token = database.changes.listeners(of: self).addInline(
                ended: { continuation.finish() },
                { continuation.yield($0) }
            )
            continuation.onTermination = { _ in token.remove() }
            if !isValid { continuation.finish() }
        }
    }

    /// Returns the changes to one document from now on, for `for await`.
    ///
    /// Ends when the database closes or you leave the loop. At most `limit` changes are buffered; then the oldest is
    /// dropped. An addition to the official API.
    public func documentChanges(
        id: String,
        bufferingNewest limit: Int = 64
    ) -> AsyncStream<DocumentChange> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            guard isListenable else {
                continuation.finish()
                return
            }
            let token = database.changes.addInlineDocumentListener(
                id,
                in: self,
                ended: { continuation.finish() },
                { continuation.yield($0) }
            )
            continuation.onTermination = { _ in token.remove() }
            if !isValid { continuation.finish() }
        }
    }

    /// Whether there can be changes to observe; logs a warning if not.
    ///
    /// A close or delete may end the listeners meanwhile, so callers check `isValid` again after adding theirs.
    private var isListenable: Bool {
        if isValid { return true }
        Journal.database.warning(
            "Collection \(fullName) is deleted or its database is closed; the listener is ignored"
        )
        return false
    }
}
