import DivanRevisions
import DivanTestKit
import Testing

/// The cases of `version_vectors.json` and `version_vector_ops.json`.
struct VectorCases: Decodable {
    struct Codec: Decodable, Sendable {
        let text, current, canonicalText, binaryHex: String
        let currentCount, count: Int
    }
    struct Refused: Decodable, Sendable {
        let text, why: String
    }
    struct Comparison: Decodable, Sendable {
        let a, b, aComparedToB: String
    }
    struct Operation: Decodable, Sendable {
        let op: String
        let vector, a, b, winner, loser, newTime, result, error: String?
    }
    struct Clock: Decodable, Sendable {
        let op, wall, result: String
        let last, time: String?
    }
    struct Mixed: Decodable, Sendable {
        let text, cv: String
        let mv, pv, legacy: [String]
    }
    struct MixedComparison: Decodable, Sendable {
        let new, held, newComparedToHeld: String
        let byVectorsAlone: String?
    }
    struct RedundantMerge: Decodable, Sendable {
        let new, held, newComparedToHeld: String
        let equalBodies: Bool
    }
    let codec: [Codec]
    let refused: [Refused]
    let compare: [Comparison]
    let operations: [Operation]
    let clock: [Clock]
    let mixedText: [Mixed]
    let legacyConversion: [Conversion]
    let mixedCompare: [MixedComparison]
    let redundantMergeCompare: [RedundantMerge]

    static let all = Result { try load() }

    private static func load() throws -> VectorCases {
        try Fixture("version_vector_ops.json").decoded(as: VectorCases.self)
    }

    /// A tree ID and the version that it is converted to.
    struct Conversion: Decodable, Sendable {
        let revTreeID, version: String
    }

    static func conversions() throws -> [Conversion] {
        struct File: Decodable { let legacyConversion: [Conversion] }
        return try Fixture("version_vectors.json").decoded(as: File.self).legacyConversion
            + all.get().legacyConversion
    }
}

/// The order named by a word of the cases.
func order(_ word: String) throws -> RevisionOrder {
    switch word {
    case "same": return .same
    case "older": return .older
    case "newer": return .newer
    case "conflict": return .conflict
    default: throw UnknownWord(word: word)
    }
}

private struct UnknownWord: Error {
    let word: String
}

/// A local vector, whose sources may be `*`.
func vector(_ text: String) throws -> VersionVector {
    try VersionVector(text, acceptsMe: true)
}

/// A number in hexadecimal digits.
func time(_ text: String?) throws -> UInt64 {
    try #require(UInt64(text ?? "", radix: 16))
}
