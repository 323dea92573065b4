import DivanJSON
import DivanPlatform

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
    static func send(_ object: JSON, to socket: Socket) -> Bool {
        socket.sendAll(Array((object.canonicalText + "\n").utf8))
    }

    /// Reads lines from the other end.
    struct Reader {
        private let socket: Socket
        private var bytes: [UInt8] = []

        init(_ socket: Socket) {
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
                guard bytes.count < HolderProtocol.lineLimit else { return nil }
                let piece = socket.receive(upTo: 1 << 16)
                if piece.isEmpty { return nil }
                bytes += piece
            }
        }
    }
}
