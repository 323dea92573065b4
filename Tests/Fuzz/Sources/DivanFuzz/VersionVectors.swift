import DivanRevisions

/// Any text or bytes are a vector that survives a round trip, or an error; and what is read
/// can be written, merged and compared, and satisfies the rules.
enum VersionVectors: FuzzTarget {
    static let name = "version-vectors"

    static func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let kind = reader.byte()
        let rest = reader.remainder()
        switch kind % 3 {
        case 0:
            guard let mixed = try? MixedVector(utf8: rest.span) else { return nil }
            return flaw(of: mixed)
        case 1:
            guard let vector = try? VersionVector(encoded: rest.span) else { return nil }
            return flaw(of: vector)
        default:
            let vectors = rest.split(separator: 10).prefix(6).compactMap {
                try? VersionVector(utf8: Array($0).span)
            }
            let times = HybridClock.validTimes
            return flaw(of: vectors.filter { $0.versions.allSatisfy { times.contains($0.time) } })
        }
    }

    private static func flaw(of mixed: MixedVector) -> String? {
        guard (try? MixedVector(mixed.description)) == mixed else {
            return "\(mixed) is lost in text"
        }
        guard let current = mixed.current else { return nil }
        let history = mixed.history
        guard (try? MixedVector(current, history: history)) == mixed else {
            return "\(current) with \(history) is not \(mixed)"
        }
        if mixed.order(to: mixed) != .same { return "\(mixed) is not itself" }
        return nil
    }

    private static func flaw(of vector: VersionVector) -> String? {
        let again = try? VersionVector(encoded: vector.encoded.span)
        return again == vector ? nil : "\(vector) is lost in its bytes"
    }

    private static func flaw(of vectors: [VersionVector]) -> String? {
        for first in vectors {
            let saved = first.saved(by: .revisionTree, at: .max)
            if let flaw = unsound(saved) { return flaw }
            for second in vectors {
                let order = first.order(to: second)
                if order != second.order(to: first).reversed { return "\(first) | \(second)" }
                if let flaw = unsound(first.winning(over: second)) { return flaw }
                guard let merged = try? first.merged(with: second, by: .revisionTree, at: .max)
                else {
                    continue
                }
                if let flaw = unsound(merged) { return flaw }
            }
        }
        return nil
    }

    private static func unsound(_ vector: VersionVector) -> String? {
        let again = try? VersionVector(vector.versions, mergeCount: vector.mergeCount)
        return again == vector ? nil : "\(vector) breaks the rules"
    }

    static func seeds() throws -> [[UInt8]] {
        let file = try Fixtures.json("DivanRevisions", "version_vector_ops.json")
        let texts = Fixtures.texts(in: file).filter { $0.contains("@") || $0.contains("-") }
        let vectors = texts.compactMap { try? VersionVector($0) }
        let lists = stride(from: 0, to: vectors.count - 3, by: 3).map { start in
            vectors[start..<start + 3].map(\.description).joined(separator: "\n")
        }
        return texts.map { [0] + Array($0.utf8) } + vectors.map { [1] + $0.encoded }
            + lists.map { [2] + Array($0.utf8) }
    }
}
