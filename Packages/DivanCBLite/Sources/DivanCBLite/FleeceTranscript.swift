internal import DivanCrypto

/// What the bodies of a document have used so far; their values may be shared.
struct TranscriptBudget {
    var byteCount = 0
    var valueCount = 0
    var comparedByteCount = 0
}

/// Writes a value of Fleece as canonical JSON.
///
/// Values may be shared, so that a small container represents a giant text, and an array may even contain
/// itself: the bytes written, the values examined, the bytes of keys compared
/// and the depth are all limited.
struct FleeceTranscript {
    private let fleece: Fleece
    private let keys: SharedKeys

    /// What was written so far.
    private struct Text {
        var bytes: [UInt8] = []
        var budget: TranscriptBudget

        mutating func count(_ values: Int) throws(RecordDamage) {
            budget.valueCount += values
            guard bytes.count <= CBLiteLimits.bodyByteCount,
                budget.valueCount <= CBLiteLimits.valueCount
            else { throw RecordDamage("more than 20 MiB of JSON") }
            guard budget.byteCount + bytes.count <= CBLiteLimits.recordByteCount else {
                throw RecordDamage("more than 256 MiB of bodies in total")
            }
        }
    }

    /// The JSON of a value, which must be a dictionary if it is a body; `budget` is shared by the
    /// document's bodies.
    static func json(
        of value: Fleece.Value,
        in fleece: Fleece,
        keys: SharedKeys,
        budget: inout TranscriptBudget
    ) throws(RecordDamage) -> [UInt8] {
        let transcript = FleeceTranscript(fleece: fleece, keys: keys)
        var text = Text(budget: budget)
        // One giant container may have many bodies.
        text.bytes.reserveCapacity(min(2 * fleece.bytes.count, 1 << 16))
        try transcript.write(value, depth: 1, to: &text)
        try text.count(0)
        budget = text.budget
        budget.byteCount += text.bytes.count
        return text.bytes
    }

    private func write(
        _ value: Fleece.Value,
        depth: Int,
        to text: inout Text
    ) throws(RecordDamage) {
        try text.count(1)
        switch value {
        case .integer(let number):
            JSONText.append(number.magnitude, isNegative: number < 0, to: &text.bytes)
        case .unsigned(let number): JSONText.append(number, isNegative: false, to: &text.bytes)
        case .float(let number): try JSONText.append(number, to: &text.bytes)
        case .double(let number): try JSONText.append(number, to: &text.bytes)
        case .null, .undefined: text.bytes += [0x6E, 0x75, 0x6C, 0x6C]
        case .bool(true): text.bytes += [0x74, 0x72, 0x75, 0x65]
        case .bool(false): text.bytes += [0x66, 0x61, 0x6C, 0x73, 0x65]
        case .string(let range):
            try JSONText.appendQuoted(fleece.bytes.span.extracting(range), to: &text.bytes)
        case .data(let range):
            text.bytes.append(UInt8(ascii: "\""))
            text.bytes += Base64.encode(fleece.bytes.span.extracting(range)).utf8
            text.bytes.append(UInt8(ascii: "\""))
        case .array(let items): try write(array: items, depth: depth, to: &text)
        case .dictionary(let items): try write(dictionary: items, depth: depth, to: &text)
        }
    }

    private func write(
        array items: Fleece.Items,
        depth: Int,
        to text: inout Text
    ) throws(RecordDamage) {
        guard depth <= CBLiteLimits.depth else { throw RecordDamage("nested too deeply") }
        text.bytes.append(UInt8(ascii: "["))
        for index in 0..<items.count {
            if index > 0 { text.bytes.append(UInt8(ascii: ",")) }
            try write(try fleece.item(index, of: items), depth: depth + 1, to: &text)
        }
        text.bytes.append(UInt8(ascii: "]"))
    }

    /// A pair of a dictionary by its position; a shared key by its number.
    private struct Pair {
        let place: Int
        let shared: Int
        let range: Range<Int>
    }

    private func write(
        dictionary items: Fleece.Items,
        depth: Int,
        to text: inout Text
    ) throws(RecordDamage) {
        guard depth <= CBLiteLimits.depth else { throw RecordDamage("nested too deeply") }
        // Counted before they are collected: a giant dictionary may be referred to again and again.
        try text.count(items.count)
        let pairs = try sortedPairs(of: items, &text.budget.comparedByteCount)
        text.bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for pair in pairs {
            let value = try fleece.item(2 * pair.place + 1, of: items)
            if case .undefined = value { continue }
            if !isFirst { text.bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            if pair.shared >= 0 {
                let key = keys.keys[pair.shared].text
                JSONText.append(key.span, to: &text.bytes)
            } else {
                try JSONText.appendQuoted(fleece.bytes.span.extracting(pair.range), to: &text.bytes)
                text.bytes.append(UInt8(ascii: ":"))
            }
            try write(value, depth: depth + 1, to: &text)
        }
        text.bytes.append(UInt8(ascii: "}"))
    }

    private func sortedPairs(
        of items: Fleece.Items,
        _ compared: inout Int
    ) throws(RecordDamage) -> [Pair] {
        var pairs: [Pair] = []
        pairs.reserveCapacity(items.count)
        var isSorted = true
        for place in 0..<items.count {
            let pair = try pair(place, of: items)
            if isSorted, let last = pairs.last { isSorted = precedes(last, pair, &compared) }
            pairs.append(pair)
        }
        guard !isSorted else { return pairs }
        pairs.sort { precedes($0, $1, &compared) }
        let isAscending = pairs.indices.dropFirst().allSatisfy {
            precedes(pairs[$0 - 1], pairs[$0], &compared)
        }
        guard compared <= CBLiteLimits.comparedByteCount else {
            throw RecordDamage("sorting the keys takes too long")
        }
        guard isAscending else { throw RecordDamage("duplicate key") }
        return pairs
    }

    private func pair(_ place: Int, of items: Fleece.Items) throws(RecordDamage) -> Pair {
        switch try fleece.item(2 * place, of: items) {
        case .string(let range): return Pair(place: place, shared: -1, range: range)
        case .integer(let number):
            guard number >= 0, number < keys.keys.count else {
                throw RecordDamage("shared key \(number) does not exist")
            }
            return Pair(place: place, shared: Int(number), range: 0..<0)
        default: throw RecordDamage("a key is not a string")
        }
    }

    /// Whether a key precedes another; beyond the limit nothing is compared, and any result will do.
    private func precedes(_ first: Pair, _ second: Pair, _ compared: inout Int) -> Bool {
        if first.shared >= 0, second.shared >= 0 {
            return keys.keys[first.shared].rank < keys.keys[second.shared].rank
        }
        guard compared <= CBLiteLimits.comparedByteCount else { return false }
        let (one, other) = (bytes(of: first), bytes(of: second))
        var common = 0
        while common < min(one.count, other.count) {
            let bytes = (one[one.startIndex + common], other[other.startIndex + common])
            common += 1
            guard bytes.0 == bytes.1 else {
                compared += common
                return bytes.0 < bytes.1
            }
        }
        compared += common + 1
        return one.count < other.count
    }

    private func bytes(of pair: Pair) -> ArraySlice<UInt8> {
        pair.shared >= 0 ? keys.keys[pair.shared].bytes[...] : fleece.bytes[pair.range]
    }
}
