/// Finds the lines at which `couchbackup` continued an interrupted backup.
///
/// A resumed backup appends a marker to the line that was being written, and writes its documents again.
///
/// Source: https://github.com/IBM/couchbackup
struct ResumedLines {
    /// A part of the file.
    enum Part: Equatable {
        case bytes([UInt8])
        /// The line before this point is incomplete.
        case interruption
    }

    private static let marker = Array(#"{"marker":"@cloudant/couchbackup:resume"}"#.utf8)
    private static let lineEnd = UInt8(ascii: "\n")

    /// The last bytes of a line, as many as the marker has.
    private var held: [UInt8] = []

    /// Follows the next bytes; returns those that are known to belong to documents.
    mutating func receive(_ bytes: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var passed: [UInt8] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: Self.lineEnd) {
            held += rest[..<end]
            rest = rest[(end + 1)...]
            if held.count >= Self.marker.count, held.suffix(Self.marker.count) == Self.marker[...] {
                passed += held.dropLast(Self.marker.count)
                parts += [.bytes(passed), .interruption]
                passed = []
            } else {
                passed += held
            }
            held = []
            passed.append(Self.lineEnd)
        }
        held += rest
        if held.count > Self.marker.count {
            passed += held.dropLast(Self.marker.count)
            held = held.suffix(Self.marker.count)
        }
        parts.append(.bytes(passed))
        return parts
    }

    /// Follows the end of the file.
    mutating func finish() -> [Part] {
        defer { held = [] }
        return held == Self.marker ? [.interruption] : [.bytes(held)]
    }
}
