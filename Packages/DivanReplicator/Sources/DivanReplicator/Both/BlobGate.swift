import DivanRevisions
import DivanStore

/// Holds back the request for a blob while another connection of the database receives it.
///
/// Several neighbours of a mesh offer the same revisions. A list of them waits for `transferTime` at most, which is
/// less than a large blob takes; from then on, each neighbour would send the blob again. Here only that one revision
/// waits: as long as the other connection makes progress, and `blobTransferTime` at most.
///
/// Uses the table of the revisions in flight, with the digest as the key.
struct BlobGate {
    private struct Wait {
        var awaited: RevisionsInFlight.Awaited
        /// When the blob is requested in any case.
        let limit: Duration
    }

    private let connection: Connection
    private var waits: [BlobDigest: Wait] = [:]
    /// The digests in `waits`, in the order in which they came.
    private var order: [BlobDigest] = []
    /// Until when blobs that no longer wait, and have not arrived, would have waited.
    private var limits: [BlobDigest: Duration] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Whether further blobs can wait.
    var hasRoom: Bool { order.count < connection.limits.awaitedBlobsCount }

    /// When to examine the waiting blobs at the latest; `nil` if none waits.
    var deadline: Duration? { waits.values.lazy.map { min($0.awaited.deadline, $0.limit) }.min() }

    /// A peer that may not have every blob must send each one that it names.
    private var transfers: RevisionsInFlight.Membership? {
        connection.blobRights.areBound ? nil : connection.transfers
    }

    /// Whether a blob is requested over this connection; otherwise it waits.
    mutating func admits(_ digest: BlobDigest) -> Bool {
        guard let transfers else { return true }
        let (now, time) = (connection.now, connection.limits.transferTime)
        let limit = limits[digest] ?? now + connection.limits.blobTransferTime
        limits[digest] = limit
        let awaited = transfers.begin([.init(digest)], at: now, for: time, waits: now < limit)
        guard let awaited = awaited.first else { return true }
        waits[digest] = Wait(awaited: awaited, limit: limit)
        order.append(digest)
        connection.emit(.transfer(transfers.end(of: awaited)))
        return false
    }

    /// Returns, and removes, the blobs whose transfers have ended, or make no progress.
    mutating func takeReleased() -> [BlobDigest] {
        guard !order.isEmpty, let transfers else { return [] }
        let now = connection.now
        var released: [BlobDigest] = []
        for digest in order {
            guard let wait = waits[digest] else { continue }
            guard now < wait.limit, let current = transfers.awaited(.init(digest), at: now) else {
                waits[digest] = nil
                released.append(digest)
                continue
            }
            waits[digest]?.awaited = current
            guard current.number != wait.awaited.number else { continue }
            connection.emit(.transfer(transfers.end(of: current)))
        }
        if !released.isEmpty { order.removeAll { waits[$0] == nil } }
        return released
    }

    /// A part of a blob has arrived over this connection: others wait longer for it.
    func progressed(_ digest: BlobDigest) {
        transfers?.renew(.init(digest), until: connection.now + connection.limits.transferTime)
    }

    /// A blob is stored, or was not sent.
    mutating func ended(_ digest: BlobDigest) {
        limits[digest] = nil
        transfers?.end(.init(digest))
    }

    /// Drops everything: the connection is closed.
    mutating func abandon(_ digests: some Sequence<BlobDigest>) {
        for digest in digests { transfers?.end(.init(digest)) }
        (waits, order, limits) = ([:], [], [:])
    }
}
