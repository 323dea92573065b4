import DivanTestKit
import Foundation
import Testing

/// Long documents: verbs need at most three times their size, and give them back byte for byte.
@Suite(.serialized) struct LongDocumentTests {
    /// Bytes that a document may need above those of the same verb without one: three times its size, and the
    /// pages and buffers of the writing connection, whose size does not depend on the document.
    private static let limit = 3 * byteCount + pageCacheByteCount
    private static let pageCacheByteCount = 5 << 20
    /// Replacing a document reads the stored one, too.
    private static let replacingLimit = limit + byteCount
    private static let byteCount = 8 << 20
    private let shell: Shell
    private let environment: [String: String]

    init() throws {
        shell = try Shell()
        environment = try shell.preloading("peak_memory")
            .merging(["DIVAN_PEAK": shell.path("peak")]) { $1 }
    }

    /// A kind of document, and how its text begins, goes on and ends.
    enum Kind: String, CaseIterable {
        case numbers, spaced, unsorted, blob

        func body(byteCount: Int) -> String {
            let count = byteCount / (self == .spaced ? 3 : 2)
            switch self {
            case .numbers: return #"{"a":[\#(String(repeating: "1,", count: count))1]}"#
            case .spaced: return #"{"a": [\#(String(repeating: "1, ", count: count))1] }"#
            case .unsorted: return #"{"z":0,"a":[\#(String(repeating: "1,", count: count))1]}"#
            case .blob:
                let blob = #"{"@type":"blob","data":"aGVsbG8=","content_type":"text/plain"}"#
                return #"{"a":[\#(String(repeating: "1,", count: count))1],"b":\#(blob)}"#
            }
        }
    }

    /// The peak memory of a verb.
    private func peak(_ words: [String], input: String = "") throws -> Int {
        let outcome = try shell.divan(words, input: input, environment: environment)
        #expect(outcome.status == 0, "divan \(words.joined(separator: " ")): \(outcome.errors)")
        let text = try shell.text("peak").trimmingCharacters(in: .whitespacesAndNewlines)
        return try #require(Int(text)) * 1_024
    }

    /// Runs a verb on a small and on a large document, whose names are `small` and `large`.
    private func expectFrugal(
        _ kind: Kind,
        _ words: (String) -> [String],
        input: (String) -> String = { _ in "" },
        limit: Int = Self.limit
    ) throws {
        let small = try peak(words("small"), input: input("small"))
        let large = try peak(words("large"), input: input("large"))
        #expect(
            large - small <= limit,
            "\(kind) \(words("large").joined(separator: " ")): \((large - small) / 1_000_000) MB"
        )
    }

    @Test(arguments: zip(Kind.allCases, [false, true, false, true]))
    func `a large document needs at most three times its size in memory`(
        kind: Kind,
        isSealed: Bool
    ) throws {
        try shell.write("key", String(repeating: "0123456789abcdef", count: 4))
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        try FileManager.default.setAttributes(mode, ofItemAtPath: shell.path("key"))
        let key = isSealed ? ["--key-file", "key"] : []
        let bodies = [
            "small": kind.body(byteCount: 6), "large": kind.body(byteCount: Self.byteCount),
        ]
        for (name, body) in bodies {
            try shell.divan(["new", name] + key).expectSuccess()
            try shell.divan(["new", name + "-in"]).expectSuccess()
            let line = #"{"_id":"d",\#(body.dropFirst())"# + "\n"
            try shell.write(name + ".jsonl", line)
        }
        try expectFrugal(kind, { ["put", $0, "d"] + key }, input: { bodies[$0] ?? "" })
        try expectFrugal(
            kind,
            { ["put", $0, "d"] + key },
            input: { bodies[$0] ?? "" },
            limit: Self.replacingLimit
        )
        try expectFrugal(kind, { ["get", $0, "d"] + key })
        try expectFrugal(kind, { ["get", "--raw", $0, "d"] + key })
        try expectFrugal(kind, { ["export", $0, $0 + ".out"] + key })
        try expectFrugal(kind, { ["export", $0] + key })
        try expectFrugal(kind, { ["import", $0 + "-in", $0 + ".jsonl"] })
        try expectFrugal(
            kind,
            { ["import", $0 + "-in", $0 + ".jsonl"] },
            limit: Self.replacingLimit
        )
        try expectFrugal(kind, { ["dump", $0, $0 + ".dump"] + key })
        try expectFrugal(kind, { ["restore", $0 + "-again", $0 + ".dump"] })
        try expectFrugal(kind, { ["check", $0] + key })
        let first = try shell.divan(["get", "--raw", "large", "d"] + key).output
        for database in ["large-in", "large-again"] {
            #expect(try shell.divan(["get", "--raw", database, "d"]).output == first)
        }
    }
}
