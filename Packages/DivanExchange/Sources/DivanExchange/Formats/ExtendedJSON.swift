import DivanCrypto
import DivanJSON
import DivanSQL
import Foundation

/// Converts MongoDB's Extended JSON, canonical or relaxed, to JSON that queries and other programs understand.
///
/// | type | becomes |
/// |---|---|
/// | ObjectId, UUID, symbol | a string |
/// | Int32, Int64, finite double | a number |
/// | Decimal128 | a number if that has all its digits, or else a string |
/// | infinite numbers, NaN | a string |
/// | date, years 0 to 9999 | a string, as `2026-01-31T12:00:00.000Z` |
/// | binary, subtype 0 | a blob |
///
/// Others, such as timestamps and regular expressions, stay objects, whose members are converted. Objects with
/// further members stay unchanged.
///
/// Source: https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md
enum ExtendedJSON {
    /// Replaces the text of a document by JSON; a text that cannot be parsed stays, for its importer to report.
    static func convert(_ entry: inout DocumentText) {
        guard entry.problem == nil else { return }
        do {
            var reader = JSONReader(entry.bytes.withoutByteOrderMark)
            var output: [UInt8] = []
            output.reserveCapacity(entry.bytes.count)
            try write(&reader, depth: 1, to: &output)
            try reader.finish()
            entry.bytes = output[...]
            // Lines and columns of the converted text are others.
            entry.start = nil
        } catch let error as ExchangeError {
            entry = DocumentText(place: entry.place, refusedFor: error)
        } catch {
            return
        }
    }

    /// Writes the next value; work and memory are linear in its text.
    private static func write(
        _ reader: inout JSONReader,
        depth: Int,
        to output: inout [UInt8]
    ) throws {
        // Such a text stays, and its importer refuses it: the conversion removes at most three levels.
        guard depth <= JSONLimits.default.depth + 8 else { throw TooDeep() }
        switch try reader.peekKind() {
        case .array:
            var isFirst = true
            output.append(UInt8(ascii: "["))
            try reader.beginArray()
            while try reader.nextElement() {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                try write(&reader, depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object:
            var probe = reader
            if let value = try ExtendedValue.read(&probe) {
                reader = probe
                output += try value.canonicalBytes()
                return
            }
            var isFirst = true
            output.append(UInt8(ascii: "{"))
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                output += try JSON.string(key).canonicalBytes()
                output.append(UInt8(ascii: ":"))
                try write(&reader, depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        case .null, .bool, .number, .string: output += try reader.readRaw()
        }
    }

    private struct TooDeep: Error {}
}

/// A value in Extended JSON that is an object with keys such as `$oid`.
private enum ExtendedValue {
    /// Reads an object that is such a value; `nil` for any other object.
    ///
    /// Only strings and numbers in it are read, so that nested objects are not read again at each level.
    static func read(_ reader: inout JSONReader) throws -> JSON? {
        try reader.beginObject()
        guard let key = try reader.nextKey() else { return nil }
        switch key {
        case "$oid": return try text(&reader, key) { isHex($0, digitCount: 24) ? .string($0) : nil }
        case "$symbol": return try text(&reader, key) { .string($0) }
        case "$uuid": return try text(&reader, key) { UUID(uuidString: $0).map(Self.text(of:)) }
        case "$numberInt": return try text(&reader, key) { Int32($0).map { JSON($0) } }
        case "$numberLong": return try text(&reader, key) { Int64($0).map { JSON($0) } }
        case "$numberDouble": return try text(&reader, key, double)
        case "$numberDecimal": return try text(&reader, key, decimal)
        case "$date": return try date(&reader)
        case "$binary": return try binary(&reader)
        default: return nil
        }
    }

    /// The value of an object whose only member is a string.
    private static func text(
        _ reader: inout JSONReader,
        _ key: String,
        _ convert: (String) -> JSON?
    ) throws -> JSON? {
        guard let text = try onlyString(&reader) else { return nil }
        guard let value = convert(text) else {
            throw ExchangeError(
                .invalid,
                "invalid \(key) '\(text.prefix(80))'",
                remedy: "export the document again, or import the file as JSON"
            )
        }
        return value
    }

    /// The string that is the last member; leaves the object.
    private static func onlyString(_ reader: inout JSONReader) throws -> String? {
        guard try reader.peekKind() == .string else { return nil }
        let text = try reader.readString()
        return try reader.nextKey() == nil ? text : nil
    }

    private static func isHex(_ text: String, digitCount: Int) -> Bool {
        text.utf8.count == digitCount
            && text.utf8.allSatisfy { Character(UnicodeScalar($0)).hexDigitValue != nil }
    }

    private static func text(of uuid: UUID) -> JSON { .string(uuid.uuidString.lowercased()) }

    /// JSON has no infinite numbers.
    private static let infinite: Set = ["Infinity", "-Infinity", "NaN"]

    private static func double(_ text: String) -> JSON? {
        if infinite.contains(text) { return .string(text) }
        // Only numbers in JSON's syntax: Swift also reads others.
        guard (try? JSON(parsing: text))?.kind == .number, let value = Double(text), value.isFinite
        else { return nil }
        return .double(value)
    }

    /// A number if that has all digits; `1.50` and `1.5` are the same number.
    private static func decimal(_ text: String) -> JSON? {
        if infinite.contains(text) { return .string(text) }
        guard let digits = DecimalDigits(text) else { return nil }
        guard let value = try? JSON(parsing: text), value.kind == .number,
            DecimalDigits(value.canonicalText) == digits
        else { return .string(text) }
        return value
    }

    /// `{"$date": "2026-…Z"}` or `{"$date": {"$numberLong": "…"}}`; in old files, `{"$date": 17…}`.
    private static func date(_ reader: inout JSONReader) throws -> JSON? {
        switch try reader.peekKind() {
        case .string: return try onlyString(&reader).map { .string(storedDate($0)) }
        case .number:
            guard let value = try? reader.readInteger(as: Int64.self),
                try reader.nextKey() == nil
            else { return nil }
            return date(milliseconds: value)
        case .object:
            try reader.beginObject()
            guard try reader.nextKey() == "$numberLong", let text = try onlyString(&reader),
                try reader.nextKey() == nil
            else { return nil }
            guard let value = Int64(text) else {
                throw ExchangeError(.invalid, "invalid $date '\(text.prefix(80))'")
            }
            return date(milliseconds: value)
        default: return nil
        }
    }

    /// A date in the form of Divan, whose texts sort by time; other texts, also dates without a time zone, are unchanged.
    private static func storedDate(_ text: String) -> String {
        // A sign before the time is part of the date. Without a time zone, a text means local time.
        let hasZone =
            text.utf8.last == UInt8(ascii: "Z")
            || text.utf8.dropFirst(11).contains { "+-".utf8.contains($0) }
        guard hasZone, text.utf8.count <= dateByteCount,
            let milliseconds = DateText.milliseconds(text, isLocal: true)
        else { return text }
        return self.text(ofDate: milliseconds) ?? text
    }

    /// Bytes of the longest text that is read as a date.
    private static let dateByteCount = 64

    /// `nil` for a year that does not have four digits: the object stays.
    private static func date(milliseconds: Int64) -> JSON? {
        text(ofDate: milliseconds).map { .string($0) }
    }

    private static func text(ofDate milliseconds: Int64) -> String? {
        // A double has all milliseconds of these years.
        ISO8601.text(secondsSince1970: Double(milliseconds) / 1_000)
    }

    /// `{"$binary": {"base64": "…", "subType": "00"}}`.
    private static func binary(_ reader: inout JSONReader) throws -> JSON? {
        guard try reader.peekKind() == .object else { return nil }
        var data: String?
        var type: String?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard ["base64", "subType"].contains(key), try reader.peekKind() == .string else {
                return nil
            }
            let text = try reader.readString()
            if key == "base64" { data = text } else { type = text }
        }
        guard try reader.nextKey() == nil, let data, let type else { return nil }
        switch UInt8(type, radix: 16) {
        case 0?:
            return [
                "@type": "blob", "content_type": "application/octet-stream", "data": .string(data),
            ]
        case 4?: return uuid(data)
        default: return nil
        }
    }

    /// A UUID in base64; `nil` if it has not 16 bytes.
    private static func uuid(_ data: String) -> JSON? {
        guard let bytes = Base64.decode(data), bytes.count == 16 else { return nil }
        return .string(NSUUID(uuidBytes: bytes).uuidString.lowercased())
    }
}

/// The value of a decimal number, without zeros at its ends.
private struct DecimalDigits: Equatable {
    private var isNegative = false
    /// Without zeros at the beginning and the end; none for zero.
    private var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private var exponent = 0

    /// Reads digits with a sign, a point and an exponent; `nil` for any other text.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            rest.removeFirst()
        }
        var isAfterPoint = false
        var hasDigits = false
        while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
            rest.removeFirst()
            if byte == UInt8(ascii: "."), !isAfterPoint {
                isAfterPoint = true
                continue
            }
            guard (0x30...0x39).contains(byte) else { return nil }
            hasDigits = true
            digits.append(byte)
            if isAfterPoint { exponent -= 1 }
        }
        guard hasDigits else { return nil }
        if rest.popFirst() != nil {
            // A decimal of 128 bits has no exponent of more than four digits.
            guard let power = Int32(String(decoding: rest, as: UTF8.self)) else { return nil }
            exponent += Int(power)
        }
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        digits = Array(digits.drop { $0 == 0x30 })
        // Zeros are equal, apart from the sign.
        if digits.isEmpty { exponent = 0 }
    }
}
