/// The TXT record of a service: strings of the form `key=value`, whose values can be any bytes.
///
/// Source: RFC 6763 §6. Keys are printable ASCII, their case does not matter, and of equal keys the first counts.
public struct TextRecord: Hashable, Sendable {
    /// The strings, in their order.
    public let strings: [[UInt8]]

    /// Creates a record to advertise.
    ///
    /// - Throws: `DiscoveryError.invalidAttribute` or `attributesTooLarge`.
    public init(strings: [[UInt8]]) throws(DiscoveryError) {
        var byteCount = 0
        for string in strings {
            guard Self.key(of: string) != nil,
                string.count <= DiscoveryLimits.attributeByteCount
            else {
                let name = string.prefix { $0 != UInt8(ascii: "=") }
                throw .invalidAttribute(String(decoding: name, as: UTF8.self))
            }
            byteCount += string.count + 1
        }
        guard byteCount <= DiscoveryLimits.attributesByteCount else {
            throw .attributesTooLarge(
                byteCount: byteCount,
                limit: DiscoveryLimits.attributesByteCount
            )
        }
        self.strings = strings
    }

    /// Keeps what is valid of a record that was received, or that describes a known peer.
    ///
    /// A string without a key, or whose key is not printable ASCII, is left out. So is one that does not fit into
    /// `DiscoveryLimits.attributesByteCount`.
    init(received strings: [[UInt8]]) {
        var byteCount = 0
        self.strings = strings.filter { string in
            guard Self.key(of: string) != nil,
                byteCount + string.count < DiscoveryLimits.attributesByteCount
            else { return false }
            byteCount += string.count + 1
            return true
        }
    }

    /// The strings of attributes, sorted by their keys.
    static func strings(of attributes: [String: String]) -> [[UInt8]] {
        attributes.map { Array("\($0.key)=\($0.value)".utf8) }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }

    private static func key(of string: [UInt8]) -> ArraySlice<UInt8>? {
        let key = string.prefix { $0 != UInt8(ascii: "=") }
        return !key.isEmpty && key.allSatisfy { (0x20...0x7E).contains($0) } ? key : nil
    }

    /// All attributes as text: keys in lower case; bytes of values that are not UTF-8 are replaced.
    ///
    /// A string without `=` is a key with an empty value.
    public var attributes: [String: String] {
        var attributes: [String: String] = [:]
        for string in strings {
            guard let key = Self.key(of: string) else { continue }
            let name = String(decoding: key, as: UTF8.self).lowercased()
            let value = String(decoding: string.dropFirst(key.count + 1), as: UTF8.self)
            if attributes[name] == nil { attributes[name] = value }
        }
        return attributes
    }
}
