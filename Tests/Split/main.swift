// A program outside the repository: carries BLIP messages with a packaged codec, and with one of its own.

import DivanBLIP
import DivanCompression
import DivanLZ4

/// Writes each run of equal bytes as its length and the byte; in place of deflate.
struct RunLengthCodec: CompressionCodec {
    var name: String { "runs" }

    func maximumByteCount(for inputByteCount: Int) -> Int { 2 * inputByteCount }
    func makeCompressor() -> any StreamCompressor { Compressor() }
    func makeDecompressor() -> any StreamDecompressor { Decompressor() }

    final class Compressor: StreamCompressor {
        func compress(_ input: Span<UInt8>, appendingTo output: inout [UInt8]) {
            var start = 0
            while start < input.count {
                var end = start + 1
                while end < input.count, end - start < 255, input[end] == input[start] { end += 1 }
                output += [UInt8(end - start), input[start]]
                start = end
            }
        }

        func reset() {}
    }

    final class Decompressor: StreamDecompressor {
        func decompress(
            _ input: Span<UInt8>,
            limit: Int,
            appendingTo output: inout [UInt8]
        ) throws(CompressionError) {
            let corrupt = CompressionError.corrupt(codec: "runs", detail: "not pairs")
            guard input.count.isMultiple(of: 2) else { throw corrupt }
            var room = limit
            for position in stride(from: 0, to: input.count, by: 2) {
                let count = Int(input[position])
                guard count > 0 else { throw corrupt }
                guard count <= room else { throw .outputTooLarge(codec: "runs", limit: limit) }
                room -= count
                output += repeatElement(input[position + 1], count: count)
            }
        }

        func reset() {}
    }
}

/// Sends a compressed request and its compressed reply; returns the bytes that crossed the connection.
func exchange(_ body: [UInt8], codec: any CompressionCodec) throws -> Int {
    var client = BLIPConnection(codec: codec)
    var server = BLIPConnection(codec: codec)
    var byteCount = 0
    var frame: [UInt8] = []
    client.send(BLIPRequest(profile: "echo", body: .bytes(body), isCompressed: true))
    while client.nextFrame(into: &frame) {
        byteCount += frame.count
        try server.receive(frame.span)
        frame = []
    }
    guard case .request(let request)? = server.next() else { fatalError("no request") }
    server.reply(to: request.id, with: BLIPReply(body: .bytes(request.body), isCompressed: true))
    while server.nextFrame(into: &frame) {
        byteCount += frame.count
        try client.receive(frame.span)
        frame = []
    }
    guard case .reply(_, let reply)? = client.next(), reply.body == body else {
        fatalError("the reply differs from the request")
    }
    return byteCount
}

let body = [UInt8](repeating: 7, count: 10_000)
for codec: any CompressionCodec in [.lz4, RunLengthCodec()] {
    print(codec.name, try exchange(body, codec: codec) < 1_000 ? "compressed" : "not compressed")
}
