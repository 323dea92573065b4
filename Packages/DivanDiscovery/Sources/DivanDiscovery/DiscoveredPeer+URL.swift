extension DiscoveredPeer {
    /// Where the listener is, by its attributes `scheme` and `database`, which `divan serve --advertise`
    /// sets; `nil` without a port or a usable host.
    ///
    /// Whatever a stranger has put there, it is one URL to this peer: the scheme is `wss` unless it says
    /// `ws`, the host an address, the whole attribute `database` one percent-encoded step of the path.
    /// Of several addresses one without a zone is taken, and before one with a zone the host's name.
    public var url: String? {
        guard port > 0, let place else { return nil }
        let scheme = attributes["scheme"] == "ws" ? "ws" : "wss"
        return "\(scheme)://\(place):\(port)/\(Self.encoded(attributes["database"] ?? ""))"
    }

    private var place: String? {
        if let address = addresses.first(where: { !$0.contains("%") }) {
            return address.contains(":") ? "[\(address)]" : address
        }
        if Self.isHostName(host) { return host }
        return addresses.first.map { address in
            let parts = address.split(separator: "%", maxSplits: 1)
            let zone = parts.count > 1 ? "%25" + Self.encoded(String(parts[1])) : ""
            return "[\(parts.first ?? "")\(zone)]"
        }
    }

    /// Whether nothing in it ends the host in a URL.
    private static func isHostName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    private static func encoded(_ text: String) -> String {
        // A step of dots would be taken for one upwards.
        let isDots = text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte), !isDots {
                bytes.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
