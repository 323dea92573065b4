import DivanCBLite
import DivanTestKit
import Foundation
import Testing

/// A folder that is no bundle of versions 2 to 4 is identified before any of its data are read.
@Suite struct BundleKindTests {
    /// Why a bundle is not opened; `nil` if it is.
    private static func refusal(_ path: String) -> CBLiteError? {
        do throws(CBLiteError) {
            _ = try CBLiteBundle(directory: path)
            return nil
        } catch {
            return error
        }
    }

    /// A sample whose file claims to be of another version.
    private static func sample(version: UInt32) throws -> Sample {
        let sample = try Sample("manykeys-3.2")
        let file = URL(filePath: sample.path + "/db.sqlite3")
        var bytes = try Data(contentsOf: file)
        // `user_version` in the head of an SQLite file, big-endian.
        for index in 0..<4 { bytes[60 + index] = UInt8(version >> (24 - 8 * index) & 255) }
        try bytes.write(to: file)
        return sample
    }

    @Test(arguments: [
        (UInt32(100), CBLiteError.tooOld(version: 100)), (149, .tooOld(version: 149)),
        (200, .tooOld(version: 200)), (600, .tooNew(version: 600)),
        (2_147_483_647, .tooNew(version: 2_147_483_647)),
    ]) func `versions that are too old or too new are reported`(
        version: UInt32,
        expected: CBLiteError
    ) throws {
        let sample = try Self.sample(version: version)
        #expect(Self.refusal(sample.path) == expected)
        withExtendedLifetime(sample) {}
        #expect(expected.description.contains("version \(version)"))
    }

    @Test(arguments: [UInt32(201), 303, 400, 503, 599])
    func `supported versions are read`(version: UInt32) throws {
        let sample = try Self.sample(version: version)
        #expect(Self.refusal(sample.path) == nil)
        withExtendedLifetime(sample) {}
    }

    @Test func `an encrypted bundle is reported as encrypted`() throws {
        let seed = TestSeed.choose()
        var random = SeededGenerator(seed: seed)
        let home = try TemporaryDirectory()
        let file = URL(filePath: home.file("db.sqlite3"))
        for count in [512, 4_096, 40_960] {
            try Data((0..<count).map { _ in .random(in: 0...255, using: &random) }).write(to: file)
            #expect(Self.refusal(home.path) == .encrypted, "seed \(seed), \(count) bytes")
        }
        // Files that are too short, not whole blocks, or full of one byte are of no known kind.
        for bytes in [
            Data((0..<511).map { _ in .random(in: 0...255, using: &random) }),
            Data((0..<700).map { _ in .random(in: 0...255, using: &random) }),
            Data(repeating: 7, count: 4_096), Data(),
        ] {
            try bytes.write(to: file)
            #expect(Self.refusal(home.path) == .notABundle, "seed \(seed), \(bytes.count) bytes")
        }
        try Data(("DvS" + String(repeating: "x", count: 509)).utf8).write(to: file)
        #expect(Self.refusal(home.path) == .notABundle)
    }

    @Test func `pre-release files are recognized, and an empty or missing folder is not a bundle`()
        throws
    {
        let home = try TemporaryDirectory()
        #expect(Self.refusal(home.path) == .notABundle)
        #expect(Self.refusal(home.file("nothing")) == .notABundle)
        try Data("x".utf8).write(to: URL(filePath: home.file("db.forestdb.meta")))
        #expect(Self.refusal(home.path) == .tooOld(version: 0))
    }

    @Test func `another SQLite database is not taken for a Couchbase Lite database`() throws {
        for (version, expected) in [(0, CBLiteError.notABundle), (120, .tooOld(version: 120))] {
            let home = try TemporaryDirectory()
            try RowDamage.edit(
                home.file("db.sqlite3"),
                "CREATE TABLE docs (a); PRAGMA user_version=\(version)"
            )
            #expect(Self.refusal(home.path) == expected)
        }
    }
}
