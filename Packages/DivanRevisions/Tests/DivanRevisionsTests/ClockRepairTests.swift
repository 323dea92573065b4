import DivanRevisions
import DivanTestKit
import Testing

/// A clock that was ahead, peers that try to move it, and the versions that are left when it is right again.
@Suite struct ClockRepairTests {
    private static let wall: UInt64 = 1_800_000_000_000_000_000
    private static let second: UInt64 = 1_000_000_000
    private static let year = 365 * 86_400 * second

    private let mine: SourceID
    private let other: SourceID
    private let fresh: SourceID
    private let remote = RemoteID(rawValue: 1)

    init() throws {
        mine = try #require(SourceID(bytes: Array(repeating: 1, count: 16)))
        other = try #require(SourceID(bytes: Array(repeating: 2, count: 16)))
        fresh = try #require(SourceID(bytes: Array(repeating: 3, count: 16)))
    }

    private func author(_ wall: UInt64, last: UInt64 = 0) -> RevisionAuthor {
        RevisionAuthor(source: mine, clock: HybridClock(last: last), wall: wall)
    }

    private func save(
        _ history: inout VectorHistory,
        _ body: String,
        _ author: inout RevisionAuthor
    ) throws {
        let edit = LocalEdit(parent: history.current?.id, body: Array(body.utf8))
        _ = try history.save(edit, by: &author)
    }

    private func receive(
        _ history: inout VectorHistory,
        _ text: String,
        _ author: inout RevisionAuthor
    ) throws -> HistoryOutcome {
        let mixed = try MixedVector(text)
        return try history.insert(
            ReceivedRevision(
                try #require(mixed.current),
                ancestry: RevisionAncestry(of: mixed),
                body: Array("{}".utf8),
                remote: remote,
                refusesConflicts: false
            ),
            by: &author
        )
    }

    @Test func `a peer can move the clock ahead by at most a minute, however often it tries`()
        throws
    {
        var clock = HybridClock()
        let latest = Self.wall + HybridClock.tolerance
        for _ in 0..<1_000 {
            try clock.see(latest, wall: Self.wall)
            let time = clock.now(wall: Self.wall)
            #expect(try #require(time) <= Self.wall + HybridClock.influence + 1_000)
        }
        // A peer whose clock is 50 s behind accepts what is written here.
        var behind = HybridClock()
        let time = clock.now(wall: Self.wall)
        try behind.see(try #require(time), wall: Self.wall - 50 * Self.second)
    }

    @Test func `a forged version with our own source moves only its document ahead`() throws {
        var history = VectorHistory()
        var author = author(Self.wall)
        let ahead = Self.wall + HybridClock.tolerance - Self.second
        _ = try receive(&history, "\(String(ahead, radix: 16))@\(mine)", &author)
        try save(&history, "{}", &author)
        #expect(try #require(history.current?.id.version).time > ahead)
        // The save counts one more.
        #expect(author.clock.last <= Self.wall + HybridClock.influence + 1)
    }

    @Test(arguments: [.max, 1 << 63 - 1, HybridClock.latestWallTime, 1 << 63] as [UInt64])
    func `no wall time or stored time exhausts the counter`(wall: UInt64) throws {
        for last in [0, UInt64.max, HybridClock.latestWallTime] {
            var clock = HybridClock(last: last)
            var times: [UInt64] = []
            for _ in 0..<1_000 {
                let time = clock.now(wall: wall)
                times.append(try #require(time))
            }
            #expect(times == times.sorted() && Set(times).count == times.count)
            let limit = HybridClock.limit(at: wall)
            #expect(throws: VersionError.self) {
                try clock.see(HybridClock.validTimes.upperBound, wall: wall)
            }
            #expect(limit < HybridClock.validTimes.upperBound)
        }
    }

    @Test func `a clock jump of more than 30 days is recorded once and confirmed by a peer`() throws
    {
        var clock = HybridClock()
        _ = clock.now(wall: Self.wall)
        #expect(clock.jump == nil)
        _ = clock.now(wall: Self.wall + 29 * 86_400 * Self.second)
        #expect(clock.jump == nil)
        let late = Self.wall + Self.year
        _ = clock.now(wall: late)
        let jump = try #require(clock.jump)
        #expect(jump.dayCount == 336)
        _ = clock.now(wall: late + Self.second)
        #expect(clock.jump == jump)
        try clock.see(Self.wall, wall: late)
        #expect(clock.jump == jump)
        try clock.see(late - Self.second, wall: late)
        #expect(clock.jump == nil)
    }

    @Test func `a version that the document already has is not rejected for its time`() throws {
        var history = VectorHistory()
        var early = author(Self.wall + Self.year)
        try save(&history, #"{"n":1}"#, &early)
        let mine = try #require(history.current?.id.version)
        var author = author(Self.wall, last: mine.time)
        let theirs = "\(String(Self.wall, radix: 16))@\(other)"
        let outcome = try receive(&history, "\(theirs); \(mine)", &author)
        #expect(outcome == .inserted(isConflict: false))
        #expect(!author.hasDouble)
        #expect(throws: RevisionError.self) {
            let later = "\(String(mine.time + 1, radix: 16))@\(self.mine)"
            _ = try receive(&history, "\(theirs); \(later)", &author)
        }
    }

    @Test func `a version that no remote has is restamped, after the one that a remote has`()
        throws
    {
        var history = VectorHistory()
        var right = author(Self.wall)
        try save(&history, #"{"n":1}"#, &right)
        let synced = try #require(history.current?.id)
        history.markLatest(synced, at: remote, goesBack: false)
        let before = history
        var ahead = author(Self.wall + Self.year, last: right.clock.last)
        try save(&history, #"{"n":2}"#, &ahead)

        var author = author(Self.wall + Self.second, last: ahead.clock.last)
        let limit = author.repairClock()
        let result = try history.restamp(after: limit, keepsForeign: false, by: &author, or: fresh)
        #expect(result.isRestamped && !result.isShared)
        let repaired = try #require(history.current)
        #expect(repaired.body == Array(#"{"n":2}"#.utf8))
        #expect(repaired.id.timestamp <= limit && repaired.id.version?.source == mine)
        #expect(history.latest(at: remote) == synced)
        #expect(history.currentVector.order(to: before.currentVector) == .newer)
        #expect(history.timeAhead(of: limit) == nil)
        #expect(
            try history.restamp(after: limit, keepsForeign: false, by: &author, or: fresh)
                == Restamping()
        )
    }

    @Test func `a version that a remote has is kept, and later edits get another source`() throws {
        var history = VectorHistory()
        var ahead = author(Self.wall + Self.year)
        try save(&history, #"{"n":1}"#, &ahead)
        let synced = try #require(history.current?.id)
        history.markLatest(synced, at: remote, goesBack: false)
        try save(&history, #"{"n":2}"#, &ahead)

        var author = author(Self.wall, last: ahead.clock.last)
        let limit = author.repairClock()
        let result = try history.restamp(after: limit, keepsForeign: false, by: &author, or: fresh)
        #expect(result.isRestamped && result.isShared)
        let repaired = try #require(history.current?.id.version)
        #expect(repaired.source == fresh && repaired.time <= limit)
        #expect(author.successor == fresh)
        #expect(history.currentVector.knows(synced))
    }

    /// Restored and imported documents have versions of databases that no longer exist.
    @Test func `foreign versions from the future are dropped unless a remote has them`() throws {
        var history = VectorHistory()
        var ahead = author(Self.wall + Self.year)
        let future = String(Self.wall + Self.year, radix: 16)
        let text = "\(future)@\(other); \(String(Self.wall, radix: 16))@\(fresh)"
        let mixed = try MixedVector(text)
        _ = try history.insert(
            ReceivedRevision(
                try #require(mixed.current),
                ancestry: RevisionAncestry(of: mixed),
                body: Array("{}".utf8),
                remote: nil,
                refusesConflicts: false
            ),
            by: &ahead
        )
        var author = author(Self.wall)
        let limit = author.repairClock()
        #expect(
            try history.restamp(after: limit, keepsForeign: false, by: &author, or: fresh)
                .isRestamped
        )
        let vector = history.currentVector.vector
        #expect(vector.current?.source == mine)
        #expect(vector.time(of: other) == 0 && vector.time(of: fresh) == Self.wall)
    }

    /// Random lives of one document; prints its seed when it fails.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `after a repair only versions that a remote has are ahead of the clock`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var history = VectorHistory()
        var clock: UInt64 = 0
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let isAhead = Bool.random(using: &generator)
            var author = author(isAhead ? Self.wall + Self.year : Self.wall, last: clock)
            if Int.random(in: 0..<4, using: &generator) == 0, let id = history.current?.id {
                history.markLatest(id, at: remote, goesBack: false)
            } else {
                try save(&history, "{\"n\":\(Int.random(in: 0..<9, using: &generator))}", &author)
            }
            clock = author.clock.last
        }
        let (body, known) = (history.current?.body, history.latest(at: remote))
        var author = author(Self.wall + Self.second, last: clock)
        let limit = author.repairClock()
        let result = try history.restamp(after: limit, keepsForeign: false, by: &author, or: fresh)
        let current = try #require(history.current)
        #expect(current.body == body && history.latest(at: remote) == known)
        #expect(current.id.timestamp <= limit || known == current.id)
        #expect(result.isShared == (history.timeAhead(of: limit) != nil))
        if let known { #expect(history.currentVector.knows(known)) }
        try save(&history, "{}", &author)
        let writer = history.current?.id.version?.source
        #expect(writer == mine)
    }
}
