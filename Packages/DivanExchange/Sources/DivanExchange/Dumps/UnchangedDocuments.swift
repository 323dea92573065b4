import DivanCrypto
import DivanDatabase
import DivanJSON

/// Documents that have not changed since the previous dump, by their sequences.
///
/// Anything else that was there was purged.
struct UnchangedDocuments: Equatable {
    var collection: CollectionPath
    /// The last sequence that the line covers; it begins after the previous line.
    var through: UInt64
    /// Sequences with one document each, ascending.
    var runs: [ClosedRange<UInt64>] = []
    /// Expirations of those that have one, in milliseconds since 1970.
    var expirations: [UInt64: Int64] = [:]

    /// Whether the line is full.
    var isFull: Bool {
        runs.count >= ExchangeLimits.unchangedCount
            || expirations.count >= ExchangeLimits.unchangedCount
    }

    /// Takes the next document.
    mutating func take(_ place: DocumentPosition) {
        through = place.sequence
        expirations[place.sequence] = place.expiration
        if let last = runs.last, last.upperBound + 1 == place.sequence {
            runs[runs.count - 1] = last.lowerBound...place.sequence
        } else {
            runs.append(place.sequence...place.sequence)
        }
    }
}

/// The digest of a collection's documents, by which two dumps know whether they are the same.
struct SequenceDigest {
    private var hash = SHA256()

    /// Takes the next document, in ascending order of sequences.
    mutating func take(sequence: UInt64, expiration: Int64?) {
        let line = "\(sequence)" + (expiration.map { ",\($0)" } ?? "") + "\n"
        hash.update(Array(line.utf8).span)
    }

    /// The digest of all documents so far, in hexadecimal.
    var text: String { Hex.encode(hash.finalize().span) }
}

// MARK: As a line

extension UnchangedDocuments {
    /// The members of the line.
    var json: JSONObject {
        var pairs: [JSON] = []
        for run in runs { pairs += [JSON(run.lowerBound), JSON(UInt64(run.count))] }
        var object: JSONObject = [
            "unchanged": .array(pairs), "through": JSON(through),
            "collection": .string("\(collection)"),
        ]
        if !expirations.isEmpty {
            let sorted = expirations.sorted { $0.key < $1.key }
            object["expires"] = .array(sorted.flatMap { [JSON($0.key), JSON($0.value)] })
        }
        return object
    }

    /// Reads a line.
    init(_ members: DumpMembers) throws(DumpDamage) {
        collection = try members.collection()
        through = try members.sequence("through")
        var last: UInt64 = 0
        for (start, count) in try members.pairs("unchanged") {
            guard start > last, start <= through, count >= 1, count - 1 <= through - start else {
                throw DumpDamage("\"unchanged\" is not in order, or exceeds \"through\"")
            }
            last = start + (count - 1)
            runs.append(start...last)
        }
        guard members.object.contains("expires") else { return }
        var index = 0
        for (sequence, time) in try members.pairs("expires") {
            while index < runs.count, runs[index].upperBound < sequence { index += 1 }
            guard index < runs.count, runs[index].contains(sequence), time >= 1,
                expirations.updateValue(Int64(clamping: time), forKey: sequence) == nil
            else { throw DumpDamage("\"expires\" has a sequence that is not in \"unchanged\"") }
        }
    }
}
