/// What a request's path names.
///
/// Source: `websocket-and-urls.md` §1; `tls-and-auth.md` §4 (last list).
enum ListenerRoute: Equatable {
    /// `/<database>/_blipsync`: a replication with this database.
    case replication(database: String)
    /// Anything else.
    case unknown

    /// Reads a path as received, with percent escapes; a slash at its end is tolerated.
    init(path: String) {
        var parts = path.utf8
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        if parts.last?.isEmpty == true { parts = parts.dropLast() }
        guard parts.count == 3, parts[0].isEmpty, parts[2].elementsEqual("_blipsync".utf8),
            let name = Self.decoded(parts[1]), !name.isEmpty
        else {
            self = .unknown
            return
        }
        self = .replication(database: name)
    }

    /// Replaces percent escapes; `nil` when one is broken or the bytes are not UTF-8.
    private static func decoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.flatMap { UInt8(exactly: $0) }
    }
}
