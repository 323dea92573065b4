import DivanJSON
import Glibc

/// The protocol of the two ends: lines of JSON, at most a MiB each.
///
/// ```
/// holder:  {"version":1,"holder":"divan serve","process":4711,"since":"12:30"}
/// command: one byte with its standard streams and its working directory
/// command: {"environment":{"DIVAN_SESSION":"…"},"version":1,"words":["blob","fetch","notes",…]}
/// command: {"stop":true}          perhaps, after Ctrl-C
/// holder:  {"exit":0}
/// ```
enum HolderProtocol {
    static let lineLimit = 1 << 20

    /// Sends a line; false if the other end has closed the connection.
    static func send(_ object: JSON, to socket: Int32) -> Bool {
        let bytes = Array((object.canonicalText + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads lines from the other end.
    struct Reader {
        private let socket: Int32
        private var bytes: [UInt8] = []

        init(_ socket: Int32) {
            self.socket = socket
        }

        /// The next line; `nil` if the other end has closed the connection, or sends invalid data.
        mutating func next() -> JSONObject? {
            while true {
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Array(bytes[..<end])
                    bytes.removeSubrange(...end)
                    return (try? JSON(parsing: line))?.object
                }
                guard bytes.count < HolderProtocol.lineLimit, let piece = read() else { return nil }
                bytes += piece
            }
        }

        /// The next bytes; `nil` at the end, and when the socket's timeout (`SO_RCVTIMEO`) expires.
        private func read() -> ArraySlice<UInt8>? {
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(socket, &piece, piece.count, 0)
                if count < 0, errno == EINTR { continue }
                return count > 0 ? piece.prefix(count) : nil
            }
        }
    }
}
