internal import CDivanStore

/// Where a database file is, and with which key it is opened.
struct SQLitePlace: Sendable {
    let path: String
    /// `nil` for a plain file.
    var sealing: (any StoreSealing)?

    /// What unpacks its bodies.
    var packing: BodyPacking

    init(
        _ path: String,
        sealing: (any StoreSealing)? = nil,
        packing: BodyPacking = .none
    ) {
        self.path = path
        self.sealing = sealing
        self.packing = packing
    }

    /// The place as a URI, which includes the VFS to open it with.
    func uri() throws(StoreError) -> String {
        Self.uri(path, "vfs=\(try vfsName() ?? "unix")")
    }

    /// The VFS that SQLite opens it with; `nil` means its own.
    func vfsName() throws(StoreError) -> String? {
        let batched = divan_batched_vfs().map { String(cString: $0) }
        do {
            return try sealing?.vfsName(over: batched) ?? batched
        } catch {
            throw StoreError(wrapping: error, at: path)
        }
    }

    static func uri(_ path: String, _ query: String) -> String {
        var uri: [UInt8] = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "?"): uri += Array("%3f".utf8)
            case UInt8(ascii: "#"): uri += Array("%23".utf8)
            case UInt8(ascii: "%"): uri += Array("%25".utf8)
            default: uri.append(byte)
            }
        }
        return String(decoding: uri, as: UTF8.self) + "?" + query
    }
}
