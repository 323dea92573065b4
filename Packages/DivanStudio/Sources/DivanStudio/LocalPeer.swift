import DivanPlatform
import DivanTransport

/// Whose program is at the other end of a connection within this machine.
///
/// Source: Linux, `Documentation/networking/proc_net_tcp.rst`.
enum LocalPeer {
    /// Stands for a connection that is over already.
    static let nobody = UInt32.max
    /// Bytes of one table that are looked at: some hundred thousand connections.
    private static let tableByteCount = 64 << 20

    /// The user who made a connection to a port of 127.0.0.1; `nil` where the system does not tell.
    static func user(of address: SocketAddress, to port: UInt16) -> UInt32? {
        let octets = address.host.split(separator: ".").compactMap { UInt8($0) }
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(contents)
        guard octets.count == 4, !tables.isEmpty else { return nil }
        let (from, to) = (end(octets, address.port), end([127, 0, 0, 1], port))
        return tables.lazy.compactMap { user(from, to, in: $0) }.first ?? nobody
    }

    private static func user(_ from: String, _ to: String, in table: String) -> UInt32? {
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // Without an inode the socket is nobody's any more, and says that it was root's.
            guard fields.count > 9, fields[1].hasSuffix(from), fields[2].hasSuffix(to),
                fields[9] != "0"
            else { continue }
            return UInt32(fields[7])
        }
        return nil
    }

    /// An end as the tables have it; of an IPv4 address in IPv6 the last of four words is the same.
    private static func end(_ octets: [UInt8], _ port: UInt16) -> String {
        let word = octets.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.bigEndian
        return digits(word, 8) + ":" + digits(UInt32(port), 4)
    }

    private static func digits(_ number: UInt32, _ count: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: count - text.count) + text
    }

    private static func contents(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(path, [.readOnly, .closeOnExec]) else {
            return nil
        }
        defer { file.close() }
        var bytes: [UInt8] = []
        while bytes.count < tableByteCount, let piece = try? file.read(upTo: 1 << 16),
            !piece.isEmpty
        {
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
