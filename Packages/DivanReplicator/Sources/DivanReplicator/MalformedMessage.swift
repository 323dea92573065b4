import DivanJSON

/// A message's body is not what its profile calls for.
struct MalformedMessage: Error {
    /// Reads a whole body; whatever goes wrong in it is the sender's fault.
    static func reading<Value>(
        _ body: [UInt8],
        _ read: (inout JSONReader) throws -> Value
    ) throws(MalformedMessage) -> Value {
        var reader = JSONReader(body)
        do {
            let value = try read(&reader)
            try reader.finish()
            return value
        } catch {
            throw MalformedMessage()
        }
    }
}

extension RemoteSequence {
    /// Reads any JSON value as the exact text that stands there.
    init(reading reader: inout JSONReader) throws {
        let raw = try reader.readRaw()
        // Longer ones exist nowhere, and each is kept until its revision has come.
        guard raw.count <= 1_000 else { throw MalformedMessage() }
        self.init(json: String(decoding: raw, as: UTF8.self))
    }
}
