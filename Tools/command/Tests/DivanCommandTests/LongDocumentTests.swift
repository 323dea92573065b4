import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Long documents: commands need at most three times their size, and give them back byte for byte.
@Suite(.serialized) struct LongDocumentTests {
    /// Bytes of a document: more than what else a command may need, so that another copy of it exceeds the limit.
    private static let byteCount = 6 << 20
    /// Bytes that a document may need above those of the same command without one: three times its size, and the
    /// pages and buffers of the writing connection, whose size does not depend on the document.
    private static let limit = 3 * byteCount + pageCacheByteCount
    private static let pageCacheByteCount = 5 << 20
    /// The peaks of commands with a small document, which depend on neither its kind nor the test.
    private static let smallPeaks = Mutex<[[String]: Int]>([:])
    private let shell: Shell
    private let environment: [String: String]

    init() throws {
        shell = try Shell()
        environment = try shell.preloading("peak_memory")
            .merging(["DIVAN_PEAK": shell.path("peak")]) { $1 }
    }

    /// A kind of document, and how its text begins, goes on and ends.
    enum Kind: String, CaseIterable {
        case numbers, spaced, unsorted, blob, members, descending

        /// A body of a size; a tree of its numbers would take several times as much.
        func body(byteCount: Int) -> String {
            let count = byteCount / (self == .spaced ? 5 : 4)
            let numbers = String(repeating: self == .spaced ? "123, " : "123,", count: count)
            switch self {
            case .numbers: return #"{"a":[\#(numbers)1]}"#
            case .spaced: return #"{"a": [\#(numbers)1] }"#
            case .unsorted: return #"{"z":0,"a":[\#(numbers)1]}"#
            case .blob:
                let blob = #"{"@type":"blob","data":"aGVsbG8=","content_type":"text/plain"}"#
                return #"{"a":[\#(numbers)1],"b":\#(blob)}"#
            case .members, .descending:
                // An object with a member for each twelve bytes.
                let numbers = Array(100_000..<100_000 + max(1, byteCount / 12))
                let ordered = self == .members ? numbers : numbers.reversed()
                return "{" + ordered.map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
            }
        }

        /// A small and a large one, which are the contents of the databases `small` and `large`.
        var bodies: [String: String] {
            ["small": body(byteCount: 6), "large": body(byteCount: LongDocumentTests.byteCount)]
        }
    }

    /// The options for the key of a database that is encrypted.
    private func key(isSealed: Bool) throws -> [String] {
        guard isSealed else { return [] }
        try shell.write("key", String(repeating: "0123456789abcdef", count: 4))
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        try FileManager.default.setAttributes(mode, ofItemAtPath: shell.path("key"))
        return ["--key-file", "key"]
    }

    /// The peak memory of a command.
    private func peak(_ words: [String], input: String = "") throws -> Int {
        let outcome = try shell.divan(words, input: input, environment: environment)
        #expect(outcome.status == 0, "divan \(words.joined(separator: " ")): \(outcome.errors)")
        let text = try shell.text("peak").trimmingCharacters(in: .whitespacesAndNewlines)
        return try #require(Int(text)) * 1_024
    }

    /// Runs a command with the small and with the large document.
    private func expectFrugal(
        _ words: (String) -> [String],
        input: (String) -> String = { _ in "" }
    ) throws {
        let known = Self.smallPeaks.withLock { $0[words("small")] }
        let small = try known ?? peak(words("small"), input: input("small"))
        Self.smallPeaks.withLock { $0[words("small")] = small }
        let large = try peak(words("large"), input: input("large"))
        expectFrugal(words("large").joined(separator: " "), small: small, large: large)
    }

    private func expectFrugal(_ command: String, small: Int, large: Int, limit: Int = Self.limit) {
        #expect(
            large - small <= limit,
            """
            \(command): \((large - small) / 1_000) KB for a document \
            of \(Self.byteCount / 1_000) KB
            """
        )
    }

    @Test(
        arguments: TestLength.of(
            zip([Kind.numbers, .blob, .descending], [false, true, true]),
            long: zip(Kind.allCases, [false, true, false, true, false, true])
        )
    )
    func `saving a large document needs at most three times its size in memory`(
        kind: Kind,
        isSealed: Bool
    ) throws {
        let key = try key(isSealed: isSealed)
        let bodies = kind.bodies
        for (name, body) in bodies {
            try shell.divan(["new", name] + key).expectSuccess()
            try shell.write(name + ".jsonl", #"{"_id":"d",\#(body.dropFirst())"# + "\n")
        }
        try expectFrugal { ["import", $0, $0 + ".jsonl"] + key }
        let imported = try shell.divan(["get", "--raw", "large", "d"] + key).output
        #expect(imported.utf8.count > Self.byteCount * 3 / 4)
        // It replaces the imported one.
        try expectFrugal({ ["put", $0, "d"] + key }, input: { bodies[$0] ?? "" })
        #expect(try shell.divan(["get", "--raw", "large", "d"] + key).output == imported)
        guard kind == .numbers || kind == .members else { return }
        try expectFrugal({ ["put", $0, "new"] + key }, input: { bodies[$0] ?? "" })
        try expectFrugal { ["import", $0, $0 + ".jsonl"] + key }
    }

    // Stored bodies have one form, so that three kinds of documents remain.
    @Test(arguments: zip([Kind.numbers, .blob, .members], [false, true, false]))
    func `reading a large document needs at most three times its size in memory`(
        kind: Kind,
        isSealed: Bool
    ) throws {
        let key = try key(isSealed: isSealed)
        for (name, body) in kind.bodies {
            try shell.divan(["new", name] + key).expectSuccess()
            try shell.divan(["put", name, "d"] + key, input: body).expectSuccess()
        }
        if kind == .numbers {
            try expectFrugal { ["get", $0, "d"] + key }
            try expectFrugal { ["export", $0] + key }
            try expectFrugal { ["export", $0, $0 + ".csv"] + key }
        }
        try expectFrugal { ["get", "--raw", $0, "d"] + key }
        try expectFrugal { ["export", $0, $0 + ".out"] + key }
        try expectFrugal { ["dump", $0, $0 + ".dump"] + key }
        try expectFrugal { ["restore", $0 + "-again", $0 + ".dump"] }
        try expectFrugal { ["check", $0] + key }
        if kind == .numbers {
            try expectFrugal {
                ["watch", $0, "--since", "0", "--limit", "1", "--bodies", "--json"] + key
            }
        }
        let first = try shell.divan(["get", "--raw", "large", "d"] + key).output
        #expect(try shell.divan(["get", "--raw", "large-again", "d"]).output == first)
    }

    /// The peak of a server of a database, which `use` uses.
    private func servingPeak(
        _ database: String,
        _ options: [String],
        _ use: ([String: Any]) throws -> Void
    ) throws -> Int {
        let words = ["serve", database, "--no-tls", "--interface", "127.0.0.1"]
        let peaks = ["DIVAN_PEAK": shell.path("serving-peak")]
        let server = try shell.start(words + options, environment.merging(peaks) { $1 })
        try use(try server.event(named: "listening"))
        #expect(server.stop() == 0)
        let text = try shell.text("serving-peak").trimmingCharacters(in: .whitespacesAndNewlines)
        return try #require(Int(text)) * 1_024
    }

    @Test(arguments: TestLength.of([Kind.members], long: [.numbers, .members]))
    func `a REST server needs at most three times the size of a large document`(kind: Kind) throws {
        let curl = try #require(Program.installed("curl"))
        var peaks: [String: Int] = [:]
        for (name, body) in kind.bodies {
            try shell.run("new", name)
            try shell.write(name + ".json", body)
            peaks[name] = try servingPeak(name, ["--rest", "0"]) { listening in
                let url = try #require(listening["rest"] as? String) + name + "/_default/d"
                for condition in ["If-None-Match: *", "If-Match: *"] {
                    let put = ["-T", shell.path(name + ".json"), "-H", condition, url]
                    try curl.run(["-sSf"] + put).expectSuccess()
                }
                try curl.run(["-sSf", "-o", shell.path("answer"), url]).expectSuccess()
            }
            #expect(try shell.text("answer") == body)
        }
        let (small, large) = (try #require(peaks["small"]), try #require(peaks["large"]))
        expectFrugal("REST", small: small, large: large)
    }

    @Test(arguments: TestLength.of([Kind.members], long: [.numbers, .members]))
    func `a sync needs at most three times the size of a large document`(kind: Kind) throws {
        var peaks: [String: [Int]] = [:]
        let bodies = kind.bodies
        for (name, body) in bodies {
            for database in [name, name + "-hub", name + "-copy"] { try shell.run("new", database) }
            try shell.divan(["put", name, "d"], input: body).expectSuccess()
            var synced: [Int] = []
            let serving = try servingPeak(name + "-hub", []) { listening in
                let url = try #require((listening["urls"] as? [String])?.first)
                for database in [name, name + "-copy"] {
                    synced.append(try peak(["sync", database, url]))
                }
                let changed = #"{"0":0,\#(body.dropFirst())"#
                synced.append(try peak(["put", name, "d"], input: changed))
                for database in [name, name + "-copy"] {
                    synced.append(try peak(["sync", database, url]))
                }
            }
            peaks[name] = synced + [serving]
        }
        let (small, large) = (try #require(peaks["small"]), try #require(peaks["large"]))
        let steps = ["push", "pull", "put over", "push over", "pull over", "serve"]
        for (index, step) in steps.enumerated() {
            // These read the body through a second connection, which has its own page cache.
            let readsToo = ["push over", "serve"].contains(step)
            let limit = Self.limit + (readsToo ? Self.pageCacheByteCount : 0)
            expectFrugal(step, small: small[index], large: large[index], limit: limit)
        }
        let copy = try shell.divan("get", "--raw", "large-copy", "d").output
        #expect(copy.hasPrefix(#"{"0":0,"#) && copy.utf8.count > Self.byteCount * 3 / 4)
    }

    @Test func `importing a large document of another program needs at most three times its size`()
        throws
    {
        for (name, body) in Kind.numbers.bodies {
            let array = body.dropFirst(5).dropLast()
            try shell.write(name + ".csv", "_id,a\nd,\"\(array)\"\n")
            try shell.write(
                name + ".couch",
                """
                {"rows":[
                {"id":"d","key":"d","value":{"rev":"1-967a00dff5e02add41819138abb3284d"},"doc":{"_id":"d",
                "_rev":"1-967a00dff5e02add41819138abb3284d","a":\(array)}}
                ]}

                """
            )
            for format in ["csv", "couch"] {
                try shell.divan(["new", "\(name)-\(format)"]).expectSuccess()
            }
        }
        try expectFrugal { ["import", $0 + "-csv", $0 + ".csv"] }
        try expectFrugal { ["import", $0 + "-couch", $0 + ".couch", "--from", "couchdb"] }
        let array = Kind.numbers.body(byteCount: Self.byteCount).dropFirst(5).dropLast()
        let field = try shell.divan(["get", "--raw", "large-csv", "d"]).output
        #expect(field == "{\"a\":\"\(array)\"}\n")
        let document = try shell.divan(["get", "--raw", "large-couch", "d"]).output
        #expect(document == "{\"a\":\(array)}\n")
    }
}
