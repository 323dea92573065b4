internal import DivanCrypto

/// Writes a value of Fleece as canonical JSON.
///
/// Values may be shared, so that a small container stands for a giant text, and an array may even hold
/// itself: the bytes that are written, the values that are looked at and the depth are all bounded.
struct FleeceTranscript {
    private let fleece: Fleece
    private let keys: SharedKeys
    private var output: [UInt8] = []
    private var valueCount = 0

    init(_ fleece: Fleece, keys: SharedKeys) {
        self.fleece = fleece
        self.keys = keys
    }

    /// The JSON of a value, which has to be a dictionary where a body is meant.
    static func json(
        of value: Fleece.Value,
        in fleece: Fleece,
        keys: SharedKeys
    ) throws(RecordDamage) -> [UInt8] {
        var transcript = FleeceTranscript(fleece, keys: keys)
        transcript.output.reserveCapacity(2 * fleece.bytes.count)
        try transcript.write(value, depth: 1)
        return transcript.output
    }

    private mutating func write(_ value: Fleece.Value, depth: Int) throws(RecordDamage) {
        valueCount += 1
        guard output.count <= CBLiteLimits.bodyByteCount, valueCount <= CBLiteLimits.valueCount
        else { throw RecordDamage("more than 20 MiB of JSON") }
        switch value {
        case .integer(let number):
            JSONText.append(number.magnitude, isNegative: number < 0, to: &output)
        case .unsigned(let number): JSONText.append(number, isNegative: false, to: &output)
        case .float(let number): try JSONText.append(number, to: &output)
        case .double(let number): try JSONText.append(number, to: &output)
        case .null, .undefined: output += [0x6E, 0x75, 0x6C, 0x6C]
        case .bool(true): output += [0x74, 0x72, 0x75, 0x65]
        case .bool(false): output += [0x66, 0x61, 0x6C, 0x73, 0x65]
        case .string(let range): try JSONText.appendQuoted(fleece.bytes[range], to: &output)
        case .data(let range):
            output.append(UInt8(ascii: "\""))
            output += Base64.encode(fleece.bytes.span.extracting(range)).utf8
            output.append(UInt8(ascii: "\""))
        case .array(let items): try write(array: items, depth: depth)
        case .dictionary(let items): try write(dictionary: items, depth: depth)
        }
    }

    private mutating func write(array items: Fleece.Items, depth: Int) throws(RecordDamage) {
        guard depth <= CBLiteLimits.depth else { throw RecordDamage("too deep") }
        output.append(UInt8(ascii: "["))
        for index in 0..<items.count {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            try write(try fleece.item(index, of: items), depth: depth + 1)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// A pair of a dictionary by its place; a key that is shared by its number.
    private struct Pair {
        let place: Int
        let shared: Int
        let range: Range<Int>
    }

    private mutating func write(dictionary items: Fleece.Items, depth: Int) throws(RecordDamage) {
        guard depth <= CBLiteLimits.depth else { throw RecordDamage("too deep") }
        // Counted before they are collected: a giant dictionary may be named again and again.
        valueCount += items.count
        guard valueCount <= CBLiteLimits.valueCount else {
            throw RecordDamage("more values than a document has")
        }
        let pairs = try sortedPairs(of: items)
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        for pair in pairs {
            let value = try fleece.item(2 * pair.place + 1, of: items)
            if case .undefined = value { continue }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            if pair.shared >= 0 {
                output += keys.keys[pair.shared].text
            } else {
                try JSONText.appendQuoted(fleece.bytes[pair.range], to: &output)
                output.append(UInt8(ascii: ":"))
            }
            try write(value, depth: depth + 1)
        }
        output.append(UInt8(ascii: "}"))
    }

    private func sortedPairs(of items: Fleece.Items) throws(RecordDamage) -> [Pair] {
        var pairs: [Pair] = []
        pairs.reserveCapacity(items.count)
        var isSorted = true
        for place in 0..<items.count {
            let pair = try pair(place, of: items)
            if isSorted, let last = pairs.last { isSorted = precedes(last, pair) }
            pairs.append(pair)
        }
        guard !isSorted else { return pairs }
        pairs.sort { precedes($0, $1) }
        for index in pairs.indices.dropFirst() where !precedes(pairs[index - 1], pairs[index]) {
            throw RecordDamage("a key stands there twice")
        }
        return pairs
    }

    private func pair(_ place: Int, of items: Fleece.Items) throws(RecordDamage) -> Pair {
        switch try fleece.item(2 * place, of: items) {
        case .string(let range): return Pair(place: place, shared: -1, range: range)
        case .integer(let number):
            guard number >= 0, number < keys.keys.count else {
                throw RecordDamage("there is no shared key \(number)")
            }
            return Pair(place: place, shared: Int(number), range: 0..<0)
        default: throw RecordDamage("a key is no string")
        }
    }

    private func precedes(_ first: Pair, _ second: Pair) -> Bool {
        if first.shared >= 0, second.shared >= 0 {
            return keys.keys[first.shared].rank < keys.keys[second.shared].rank
        }
        return bytes(of: first).lexicographicallyPrecedes(bytes(of: second))
    }

    private func bytes(of pair: Pair) -> ArraySlice<UInt8> {
        pair.shared >= 0 ? keys.keys[pair.shared].bytes[...] : fleece.bytes[pair.range]
    }
}
