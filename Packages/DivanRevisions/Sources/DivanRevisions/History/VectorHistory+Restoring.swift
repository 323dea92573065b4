extension VectorHistory {
    /// A revision with its vector from another engine.
    public struct RestoredState: Sendable {
        /// The vector and the tree IDs.
        public var mixed: MixedVector
        /// The properties of the revision.
        public var flags: RevisionFlags
        /// JSON; `nil` if it is not kept.
        public var body: [UInt8]?
        /// The remotes whose latest known revision this is.
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

    /// Creates the history of a document from another engine's data.
    ///
    /// - Parameters:
    ///   - current: The current revision.
    ///   - others: The revisions that remotes have instead; a revision equal to the current one only marks it.
    ///   - sequence: The sequence of all these revisions.
    /// - Throws: `damagedEncoding` for a state without a vector or ID, or a remote that occurs
    ///   twice.
    public init(
        restoring current: RestoredState,
        others: [RestoredState],
        sequence: UInt64
    ) throws(RevisionError) {
        // Of many remotes: nothing is looked for among all that came before.
        var positions: [RevisionID: Int] = [:]
        var marked: [RemoteID: Int] = [:]
        for (place, state) in ([current] + others).enumerated() {
            guard let id = state.mixed.current else { throw .damagedEncoding(offset: place) }
            let position = positions[id] ?? entries.count
            if position == entries.count {
                let revision = HistoryRevision(
                    id: id,
                    flags: state.flags.intersection(.all),
                    sequence: sequence,
                    body: state.body
                )
                entries.append(Entry(state.mixed, revision))
                positions[id] = position
            }
            for remote in state.remotes {
                guard marked.updateValue(position, forKey: remote) == nil else {
                    throw .damagedEncoding(offset: place)
                }
            }
        }
        marks = marked.sorted { $0.key < $1.key }.map { remote, position in
            RevisionTree.RemoteMark(remote: remote, position: position)
        }
    }
}
