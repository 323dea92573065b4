import DivanBLIP
import DivanCompression

/// The documents as the messages of a pull.
struct BLIPMessages {
    /// The contents of the frames, without header and checksum, before compression.
    let payloads: Pieces

    private let requests: [BLIPRequest]

    init(_ documents: Documents, isCompressed: Bool) {
        requests = documents.bodies.map { body in
            BLIPRequest(
                properties: ["Profile": "rev", "id": "route-1", "rev": "1-cafe", "sequence": "12"],
                body: .bytes(body),
                isNoReply: true,
                isCompressed: isCompressed
            )
        }
        let head = requests[0].properties
        var prefix = [UInt8(head.byteCount)]
        for (name, value) in head { prefix += Array("\(name)\0\(value)\0".utf8) }
        payloads = Pieces(documents.bodies.map { prefix + $0 })
    }

    /// Creates the frames of all messages `rounds` times, some 16 KB one after another.
    func encode(with codec: any CompressionCodec, rounds: Int) {
        var frames: [UInt8] = []
        for _ in 0..<rounds {
            var connection = BLIPConnection(codec: codec)
            // Borrowed, like the floor's bodies: a loop over the array would count references.
            requests.withUnsafeBufferPointer { requests in
                for index in requests.indices {
                    connection.send(requests[index])
                    while connection.nextFrame(into: &frames) {}
                    if frames.count > 16_384 { frames.removeAll(keepingCapacity: true) }
                }
            }
        }
    }

    /// Returns the frames of all messages.
    func frames(with codec: any CompressionCodec) -> [[UInt8]] {
        var connection = BLIPConnection(codec: codec)
        return requests.map { request in
            connection.send(request)
            var frame: [UInt8] = []
            while connection.nextFrame(into: &frame) {}
            return frame
        }
    }

    /// Reads what `frames(with:)` returned, each round on its own connection.
    func decode(_ frames: [[UInt8]], with codec: any CompressionCodec, rounds: Int) throws {
        var byteCount = 0
        for _ in 0..<rounds {
            var connection = BLIPConnection(codec: codec)
            for frame in frames {
                try connection.receive(frame.span)
                while let event = connection.next() {
                    if case .request(let request) = event { byteCount += request.body.count }
                }
            }
        }
        guard byteCount > 0 else { throw BenchFailure("no BLIP message arrived") }
    }
}
