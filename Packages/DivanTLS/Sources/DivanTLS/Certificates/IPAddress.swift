import Glibc

/// Converts IP addresses between text and network bytes.
enum IPAddress {
    /// 4 or 16 bytes in network order; `nil` if `text` is not an address but, for instance, a name.
    static func bytes(_ text: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
        return nil
    }

    /// The usual text for 4 or 16 bytes; `nil` for any other count.
    static func text(_ bytes: [UInt8]) -> String? {
        let family: Int32
        switch bytes.count {
        case 4: family = AF_INET
        case 16: family = AF_INET6
        default: return nil
        }
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &characters, socklen_t(characters.count)) != nil else {
            return nil
        }
        let text = characters.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        return String(decoding: text, as: UTF8.self)
    }
}
