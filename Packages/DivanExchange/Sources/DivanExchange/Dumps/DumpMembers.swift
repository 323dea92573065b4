import DivanDatabase
import DivanJSON
import DivanRevisions

/// The members of a line, each checked against its range.
struct DumpMembers {
    /// The number of the format.
    static let format: Int64 = 1

    let object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }

    /// Sequences that a store accepts.
    private static let sequences: ClosedRange<Int64> = 1...(1 << 62 - 1)

    func text(_ key: String) throws(DumpDamage) -> String {
        guard let text = object[key]?.string else { throw DumpDamage("\"\(key)\" is not a string") }
        return text
    }

    func number(_ key: String, in range: ClosedRange<Int64>) throws(DumpDamage) -> Int64 {
        guard let number = object[key]?.int, range.contains(number) else {
            throw DumpDamage(
                "\"\(key)\" is not a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    func sequence(_ key: String) throws(DumpDamage) -> UInt64 {
        UInt64(try number(key, in: Self.sequences))
    }

    func collection() throws(DumpDamage) -> CollectionPath {
        guard let path = CollectionPath(try text("collection")) else {
            throw DumpDamage("\"collection\" is not a collection name")
        }
        return path
    }

    func scheme() throws(DumpDamage) -> RevisionScheme {
        guard let scheme = RevisionScheme(rawValue: try text("scheme")) else {
            throw DumpDamage("\"scheme\" is neither trees nor vectors")
        }
        return scheme
    }

    func checkFormat(_ key: String) throws(DumpDamage) {
        guard object[key]?.int == Self.format else {
            throw DumpDamage("unsupported dump format", hint: "use a newer version of divan")
        }
    }

    /// Numbers in pairs.
    func pairs(_ key: String) throws(DumpDamage) -> [(UInt64, UInt64)] {
        guard let values = object[key]?.array, values.count.isMultiple(of: 2),
            values.count <= 2 * ExchangeLimits.unchangedCount
        else { throw DumpDamage("\"\(key)\" is not a list of pairs of numbers") }
        var pairs: [(UInt64, UInt64)] = []
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let first = values[index].int, let second = values[index + 1].int,
                Self.sequences.contains(first), second >= 0
            else { throw DumpDamage("\"\(key)\" is not a list of pairs of numbers") }
            pairs.append((UInt64(first), UInt64(second)))
        }
        return pairs
    }

    /// A digest for each of several collections; empty if there are none.
    func digests(_ key: String) throws(DumpDamage) -> [CollectionPath: String] {
        guard object.contains(key) else { return [:] }
        guard let members = object[key]?.object else {
            throw DumpDamage("\"\(key)\" is not an object")
        }
        var digests: [CollectionPath: String] = [:]
        for (name, value) in members {
            guard let path = CollectionPath(name), let text = value.string else {
                throw DumpDamage("\"\(key)\" contains an invalid collection or digest")
            }
            digests[path] = text
        }
        return digests
    }

    /// Digests of blobs; empty if there are none.
    func blobs(_ key: String) throws(DumpDamage) -> [BlobDigest] {
        guard object.contains(key) else { return [] }
        guard let values = object[key]?.array, values.count <= ExchangeLimits.missingBlobCount
        else {
            throw DumpDamage("\"\(key)\" is not a list of blobs")
        }
        var digests: [BlobDigest] = []
        for value in values {
            guard let digest = value.string.flatMap({ BlobDigest($0) }) else {
                throw DumpDamage("\"\(key)\" is not a list of blobs")
            }
            digests.append(digest)
        }
        return digests
    }

    /// Names that are not empty and have no zero byte; empty if there are none.
    func names(_ key: String) throws(DumpDamage) -> [String] {
        guard object.contains(key) else { return [] }
        let names = object[key]?.array?.map { $0.string ?? "" } ?? [""]
        guard names.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else {
            throw DumpDamage("\"\(key)\" is not a list of names")
        }
        return names
    }

    /// A sequence for each of several collections.
    func sequences(_ key: String) throws(DumpDamage) -> [CollectionPath: UInt64] {
        guard let members = object[key]?.object else {
            throw DumpDamage("\"\(key)\" is not an object")
        }
        var sequences: [CollectionPath: UInt64] = [:]
        for (name, value) in members {
            guard let path = CollectionPath(name), let number = value.int, number >= 0,
                number <= Self.sequences.upperBound
            else { throw DumpDamage("\"\(key)\" contains an invalid collection or sequence") }
            sequences[path] = UInt64(number)
        }
        return sequences
    }
}
