public import DivanRevisions

/// The result of a clock repair.
public struct ClockRepair: Equatable, Sendable {
    /// Documents whose current revision has a new version with the present time.
    public internal(set) var restampedCount = 0
    /// Documents with times ahead that are unchanged because a peer already has them.
    public internal(set) var sharedCount = 0
    /// How far the clock was set back, in nanoseconds.
    public internal(set) var setBack: UInt64 = 0

    /// Creates the result of a repair that had nothing to do.
    public init() {}
}

/// The clock of a database with version vectors, compared with the system clock.
public struct ClockStatus: Equatable, Sendable {
    /// The latest time that was assigned or received, in nanoseconds since 1970.
    public var time: UInt64
    /// The system time.
    public var wall: UInt64
    /// The last save that was unusually far ahead of all earlier saves, unless a peer has confirmed its time.
    public var jump: ClockJump?
    /// The number of documents with times that peers currently reject.
    public var aheadCount = 0

    /// The latest time that peers currently accept, if their clocks agree with the system clock.
    public var limit: UInt64 { HybridClock.limit(at: wall) }
    /// Whether peers would reject new changes.
    public var isAhead: Bool { time > limit }
}

extension Store {
    /// Compares the clock with the system clock, and counts the documents that peers currently reject; `nil` in a
    /// database with revision trees.
    public func clockStanding() throws -> ClockStatus? {
        guard scheme == .vectors else { return nil }
        let (clock, wall) = authorship.times
        var standing = ClockStatus(time: clock.last, wall: wall, jump: clock.jump)
        let limit = standing.limit
        standing.aheadCount = try read { reader in
            try reader.collections().reduce(0) { count, path in
                var pages = try reader.documentsAhead(of: limit, in: path)
                var found = 0
                while let page = try pages.next() { found += page.count }
                return count + found
            }
        }
        return standing
    }

    /// The latest time in a document's current revision and its ancestors that peers currently reject; `nil` if
    /// they reject none.
    public func timeAhead(
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws -> UInt64? {
        guard scheme == .vectors else { return nil }
        let limit = HybridClock.limit(at: authorship.times.wall)
        let history = try read { try $0.revisions(of: documentID, in: collection) }
        return (history as? VectorHistory)?.timeAhead(of: limit)
    }

    /// Repairs a database that was written while the system clock was ahead: sets its clock back to the system
    /// time, and replaces revisions that peers reject with new revisions that have the same body and the present
    /// time.
    ///
    /// Only revisions that no peer is known to have are replaced; observers are notified. Set the system clock
    /// first. Does nothing in a database with revision trees.
    ///
    /// - Returns: The changes that were made.
    /// - Throws: I/O errors; the database is then unchanged.
    public func repairClock() throws -> ClockRepair {
        guard scheme == .vectors else { return ClockRepair() }
        let successor = authorship.newSource()
        return try write { try $0.repairClock(or: successor) }
    }
}

extension StoreWriter {
    fileprivate func repairClock(or successor: SourceID) throws -> ClockRepair {
        var repair = ClockRepair()
        let before = author.clock.last
        let limit = author.repairClock()
        repair.setBack = before - min(before, author.clock.last)
        // A restored or imported database has foreign times that no peer of it has.
        let hasMet = try !remotes().isEmpty || !peerCheckpoints().isEmpty
        for path in try collections() {
            var pages = try documentsAhead(of: limit, in: path)
            while let page = try pages.next() {
                for row in page {
                    let result = try restamp(row, in: path, after: limit, hasMet, or: successor)
                    if result.isShared { repair.sharedCount += 1 }
                    if result.isRestamped { repair.restampedCount += 1 }
                }
            }
        }
        return repair
    }

    private func restamp(
        _ summary: DocumentRow,
        in path: CollectionPath,
        after limit: UInt64,
        _ keepsForeign: Bool,
        or successor: SourceID
    ) throws(StoreError) -> Restamping {
        let collection = try self.collection(path)
        guard let row = try row(summary.documentID, in: collection.id),
            var history = try history(of: row, in: collection) as? VectorHistory
        else { return Restamping() }
        let result: Restamping
        do {
            result = try history.restamp(
                after: limit,
                keepsForeign: keepsForeign,
                by: &author,
                or: successor
            )
        } catch {
            throw StoreError(.badRevision(documentID: row.documentID, error), at: self.path)
        }
        if result.isRestamped {
            _ = try put(history, row.documentID, in: collection, over: row)
        }
        return result
    }
}

extension StoreReader {
    /// The documents of a collection with times after `limit`, without their bodies, a page at a time; those that
    /// are stored while the pages are read do not count.
    fileprivate func documentsAhead(
        of limit: UInt64,
        in path: CollectionPath
    ) throws(StoreError) -> DocumentsAhead {
        let collection = try self.collection(path)
        return DocumentsAhead(
            reader: self,
            collection: collection,
            limit: limit,
            end: try state(of: collection).lastSequence
        )
    }

    fileprivate struct DocumentsAhead {
        let reader: StoreReader
        let collection: OpenCollection
        let limit: UInt64
        let end: UInt64
        var last: UInt64 = 0

        /// The next page, possibly empty; `nil` after the last one.
        ///
        /// Damaged documents are skipped.
        mutating func next() throws(StoreError) -> [DocumentRow]? {
            guard last < end else { return nil }
            var damaged: [DamagedChange] = []
            let pageCount = 256
            let rows = try reader.current().changes(
                in: collection.id,
                after: last,
                limit: pageCount,
                content: .summary,
                noting: &damaged
            )
            last = rows.count + damaged.count < pageCount ? end : lastSequence(rows, damaged)
            var page: [DocumentRow] = []
            for row in rows where row.sequence <= end {
                if try isAhead(row) { page.append(row) }
            }
            return page
        }

        private func isAhead(_ row: DocumentRow) throws(StoreError) -> Bool {
            do throws(StoreError) {
                let history = try reader.outline(of: row, in: collection) as? VectorHistory
                return history?.timeAhead(of: limit) != nil
            } catch  where error.concernsOneDocument {
                return false
            }
        }

        private func lastSequence(_ rows: [DocumentRow], _ damaged: [DamagedChange]) -> UInt64 {
            max(rows.last?.sequence ?? 0, damaged.last?.sequence ?? 0, last + 1)
        }
    }
}
