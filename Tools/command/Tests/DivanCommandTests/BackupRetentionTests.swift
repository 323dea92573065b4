import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

@testable import DivanCommand

/// Which backups are kept, and what remains after years of them.
@Suite struct BackupRetentionTests {
    private static let day: Int64 = 86_400_000
    /// A Monday, the first of January 2029.
    private static let start: Int64 = 1_861_920_000_000

    private func full(_ day: Int64, hour: Int64 = 0) -> BackupName {
        BackupName("db", at: Self.start + day * Self.day + hour * 3_600_000, .full)
    }

    private func changes(_ day: Int64, hour: Int64) -> BackupName {
        BackupName("db", at: Self.start + day * Self.day + hour * 3_600_000, .changes)
    }

    private static func document(_ half: Int) -> DocumentID {
        DocumentID(unchecked: "doc-\(half % 20)")
    }

    private func days(_ names: [BackupName]) -> [Int64] {
        names.map { ($0.time - Self.start) / Self.day }
    }

    @Test func `a file name is parsed to the same name`() throws {
        for database in ["shop", "shop_2_full", "ü x", "_"] {
            let name = BackupName(database, at: Self.start + 1_234, .changes)
            #expect(BackupName(parsing: name.fileName) == name)
            #expect(name.fileName == "\(database)_2029-01-01T000001.234Z_changes.dump")
        }
        for text in [
            "", "a.dump", "a_b_full.dump", "a_2029-01-01T000001.234Z_half.dump",
            "a_2029-01-01T000001.234Z_full", "a_2029-01-01T00:00:01.234Z_full.dump",
            "a_2029-01-01T000001Z_full.dump", "a_2029-13-01T000001.234Z_full.dump",
            "a_T_full.dump", "a_2029-01-01T1_full.dump",
        ] {
            #expect(BackupName(parsing: text) == nil, "\(text)")
        }
    }

    @Test func `chains of the last days with backups are kept, and the newest one always`() throws {
        let names = [
            full(0), changes(0, hour: 8), full(1), changes(2, hour: 8), full(700),
            changes(700, hour: 8),
        ]
        let two = try BackupRetention(parsing: "2d")
        #expect(two.surplus(among: names) == [changes(0, hour: 8), full(0)])
        let one = try BackupRetention(parsing: "1d")
        #expect(one.surplus(among: names).count == 4)
        #expect(one.surplus(among: []).isEmpty)
        #expect(try BackupRetention(parsing: "1y").surplus(among: [full(0)]).isEmpty)
    }

    @Test func `a wrong clock removes nothing but the oldest`() throws {
        let names = (0..<60).map { full($0) } + [full(40_000)]
        let keep = try BackupRetention(parsing: "7d,4w,12m")
        let surplus = Set(keep.surplus(among: names))
        let kept = days(names.filter { !surplus.contains($0) })
        #expect(kept == [0, 31, 42, 49, 54, 55, 56, 57, 58, 59, 40_000])
    }

    @Test func `changes that lost their full backup do not stand for their week`() throws {
        let names = [changes(0, hour: 8), full(1), full(9), full(10)]
        let keep = try BackupRetention(parsing: "1d,2w")
        #expect(keep.surplus(among: names) == [changes(0, hour: 8)])
    }

    @Test func `of older chains, the first full backup of a week, month or year is kept`() throws {
        let names = (0..<800).flatMap { [full($0), changes($0, hour: 12)] }
        let keep = try BackupRetention(parsing: "7d,4w,13m,3y")
        let surplus = Set(keep.surplus(among: names))
        let kept = names.filter { !surplus.contains($0) }
        let recent = kept.filter { $0.time >= Self.start + 793 * Self.day }
        #expect(recent.count == 14)
        let old = kept.filter { $0.time < Self.start + 793 * Self.day }
        #expect(old.allSatisfy { $0.kind == .full })
        // The last day, 11 March 2031, is a Tuesday: Mondays, first days of months, and of three years.
        let texts = old.map { String(Moment.text($0.time).prefix(10)) }
        #expect(
            texts == [
                "2029-01-01", "2030-01-01", "2030-03-01", "2030-04-01", "2030-05-01", "2030-06-01",
                "2030-07-01", "2030-08-01", "2030-09-01", "2030-10-01", "2030-11-01", "2030-12-01",
                "2031-01-01", "2031-02-01", "2031-02-17", "2031-02-24", "2031-03-01", "2031-03-03",
            ]
        )
    }

    @Test func `an interrupted removal leaves no changes without their full backup`() throws {
        let names = (0..<30).flatMap {
            [full($0), changes($0, hour: 8), changes($0, hour: 16)]
        }
        let keep = try BackupRetention(parsing: "2d,1w")
        var rest = names
        for name in keep.surplus(among: names) {
            rest.removeAll { $0 == name }
            for (name, next) in zip(rest, rest.dropFirst()) where next.kind == .changes {
                #expect(next.time - name.time < Self.day)
            }
            #expect(rest.first?.kind == .full)
        }
    }

    /// Two backups a day for a year, with retention and a clock that jumps ahead; every remaining file is restored.
    @Test func `a year of backups stays small, and each remaining one is restored`() throws {
        let folder = try TemporaryDirectory()
        let store = try Store.open(directory: folder.file("db.cblite2"))
        defer { try? store.close() }
        let directory = BackupDirectory(path: folder.file("backups"))
        try directory.create()
        let keep = try BackupRetention(parsing: "7d,4w,12m")
        var states: [BackupName: Int] = [:]
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        for half in 0..<730 {
            let body = Array(#"{"n":\#(half)}"#.utf8)
            _ = try store.save(Self.document(half), in: .default, body: body)
            func backup(at now: Int64) throws -> BackupName {
                let backup = Backup(
                    store: store,
                    database: "db",
                    directory: directory,
                    fullInterval: Self.day,
                    now: now
                )
                let written = try backup.write { _ in }
                for name in keep.surplus(among: try directory.names()) {
                    try FileManager.default.removeItem(atPath: directory.place(of: name.fileName))
                }
                return written.name
            }
            let now = Self.start + Int64(half) * Self.day / 2
            // Once a month the clock is ahead by up to a year, until somebody notices.
            if half % 60 == 30 {
                let jump = Int64.random(in: 1...365, using: &generator) * Self.day
                let wrong = try backup(at: now + jump)
                #expect(throws: Failure.self, "seed \(seed)") { try backup(at: now) }
                try FileManager.default.removeItem(atPath: directory.place(of: wrong.fileName))
            }
            states[try backup(at: now)] = half
        }
        let names = try directory.names()
        #expect((24..<36).contains(names.count), "seed \(seed): \(names.count)")
        let months = Set(names.map { Moment.text($0.time).prefix(7) })
        // The last wrong one counted as a month.
        #expect(months.count >= 11, "seed \(seed)")
        for (number, name) in names.enumerated() {
            let bundle = folder.file("then-\(number).cblite2")
            let chain = try directory.chain(of: "db", at: name.time)
            try DumpRestoration(creating: bundle).read(
                chain.map { try ByteSource(path: directory.place(of: $0.fileName)) }
            )
            let restored = try Store.open(directory: bundle)
            defer { try? restored.close() }
            let half = try #require(states[name])
            let id = Self.document(half)
            let body = try restored.read { try $0.document(id, in: .default)?.body }
            #expect(body == Array(#"{"n":\#(half)}"#.utf8), "seed \(seed), \(name.fileName)")
        }
    }
}
