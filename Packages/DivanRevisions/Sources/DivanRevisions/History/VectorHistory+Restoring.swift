extension VectorHistory {
    /// A revision with its vector, as another engine kept it.
    public struct RestoredState: Sendable {
        /// Its vector and tree IDs.
        public var mixed: MixedVector
        /// What is known of it.
        public var flags: RevisionFlags
        /// JSON; `nil` when it is not kept.
        public var body: [UInt8]?
        /// The remotes that are known to have it, and nothing later.
        public var remotes: [RemoteID]

        /// Creates a state from its parts.
        public init(
            _ mixed: MixedVector,
            flags: RevisionFlags = [],
            body: [UInt8]?,
            remotes: [RemoteID] = []
        ) {
            self.mixed = mixed
            self.flags = flags
            self.body = body
            self.remotes = remotes
        }
    }

    /// Takes over what another engine knows of a document.
    ///
    /// - Parameters:
    ///   - current: The current revision.
    ///   - others: What remotes have instead; one that is the current revision only marks it.
    ///   - sequence: The local change number of all of them.
    /// - Throws: `damagedEncoding` for a state without a vector or ID, or a remote that stands there
    ///   twice.
    public init(
        restoring current: RestoredState,
        others: [RestoredState],
        sequence: UInt64
    ) throws(RevisionError) {
        for (place, state) in ([current] + others).enumerated() {
            guard let id = state.mixed.current else { throw .damagedEncoding(offset: place) }
            var position = position(of: id)
            if position == nil {
                let revision = HistoryRevision(
                    id: id,
                    flags: state.flags.intersection(.all),
                    sequence: sequence,
                    body: state.body
                )
                entries.append(Entry(state.mixed, revision))
                position = entries.count - 1
            }
            for remote in state.remotes {
                guard !marks.contains(where: { $0.remote == remote }) else {
                    throw .damagedEncoding(offset: place)
                }
                setMark(of: remote, to: position ?? 0)
            }
        }
    }
}
