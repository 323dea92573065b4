import DivanCrypto
import DivanTestKit
import DivanWebSocket
import Foundation
import Testing

/// `divan wire decode` on conversations of other programs, and on damaged ones.
@Suite struct WireRecordingTests {
    /// A conversation of two original peers, whose frames and messages were recorded.
    private struct Transcript: Decodable {
        struct Connection: Decodable {
            let handshake: Handshake
            let messages: [Message]
        }

        struct Handshake: Decodable {
            let request: Head
            let response: Head
        }

        struct Head: Decodable {
            let line: String
            let headers: [String: String]

            var bytes: [UInt8] {
                let lines =
                    [line] + headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            }
        }

        struct Message: Decodable {
            let dir: String?
            let type: String?
            let number: Int?
            let properties: [String: String]?
            let body: String?
            let frames: [Frame]?
        }

        struct Frame: Decodable {
            let i: Int
            let hex: String
        }

        let connections: [Connection]
    }

    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    private func transcript(_ name: String) throws -> Transcript {
        let path = "Packages/DivanBLIP/Tests/Fixtures/\(name).json"
        let here = URL(fileURLWithPath: #filePath)
        let root = (0..<5).reduce(here) { url, _ in url.deletingLastPathComponent() }
        return try JSONDecoder().decode(
            Transcript.self,
            from: Data(contentsOf: root.appendingPathComponent(path))
        )
    }

    /// What each end sent, in WebSocket frames as on the wire.
    private func plainBytes(
        _ connection: Transcript.Connection
    ) throws -> (client: [UInt8], server: [UInt8]) {
        var client = connection.handshake.request.bytes
        var server = connection.handshake.response.bytes
        let random = SystemRandomSource()
        var clientEncoder = FrameEncoder(role: .client, random: random)
        var serverEncoder = FrameEncoder(role: .server, random: random)
        let frames = connection.messages.flatMap { message in
            (message.frames ?? []).map { (message.dir == "C->S", $0) }
        }
        for (isClient, frame) in frames.sorted(by: { $0.1.i < $1.1.i }) {
            let payload = try #require(Hex.decode(frame.hex))
            if isClient {
                clientEncoder.encode(.binary, payload: payload.span, appendingTo: &client)
            } else {
                serverEncoder.encode(.binary, payload: payload.span, appendingTo: &server)
            }
        }
        return (client, server)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: shell.path(name)))
    }

    @Test(arguments: [
        "litecore-pull-revtree", "litecore-push-revtree", "litecore-continuous-revtree",
        "litecore-sg-pull-revtree", "litecore-sg-push-revtree",
    ])
    func `wire decode reads every recorded message of Couchbase Lite`(_ name: String) throws {
        var count = 0
        for connection in try transcript(name).connections {
            let (client, server) = try plainBytes(connection)
            try write("client", client)
            try write("server", server)
            let outcome = try shell.run(
                "wire",
                "decode",
                "server",
                "client",
                "--json",
                "--body",
                "100000"
            )
            let lines = try outcome.output.split(separator: "\n").map { line in
                try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                )
            }
            #expect(!lines.contains { $0["kind"] as? String == "problem" }, "\(outcome.output)")
            let kinds = ["request", "reply", "error"]
            var found: [String: [String: Any]] = [:]
            for line in lines {
                guard let kind = line["kind"] as? String, kinds.contains(kind),
                    let number = line["number"] as? Int, let end = line["from"] as? String
                else { continue }
                found["\(end) \(kind == "request" ? "request" : "reply") \(number)"] = line
            }
            var expectedCount = 0
            for message in connection.messages {
                guard let type = message.type?.lowercased(), let number = message.number,
                    !type.hasPrefix("ack"), let properties = message.properties
                else { continue }
                let isRequest = ["req", "request", "msg"].contains(type)
                let end = message.dir == "C->S" ? "client" : "server"
                let key = "\(end) \(isRequest ? "request" : "reply") \(number)"
                let line = try #require(found[key], "\(name): \(key) of type \(type)")
                #expect(line["properties"] as? [String: String] == properties, "\(name): \(key)")
                if let body = message.body {
                    #expect(line["bodyBytes"] as? Int == body.utf8.count, "\(name): \(key)")
                    if !body.isEmpty { #expect(line["body"] as? String == body, "\(name): \(key)") }
                }
                expectedCount += 1
            }
            #expect(found.count == expectedCount)
            count += expectedCount
        }
        #expect(count > 20)
    }

    @Test func `a reply is never printed before its request`() throws {
        let connection = try #require(try transcript("litecore-pull-revtree").connections.first)
        let (client, server) = try plainBytes(connection)
        try write("client", client)
        try write("server", server)
        let shown = try shell.run("wire", "decode", "client", "server").output
        #expect(!shown.contains("reply to ?"))
        var asked: Set<Substring> = []
        for line in shown.split(separator: "\n") {
            guard let arrow = line.firstIndex(where: { "→←".contains($0) }) else { continue }
            let text = line[arrow...]
            guard let number = text.split(separator: " ").first(where: { $0.hasPrefix("#") }) else {
                continue
            }
            if text.contains("reply to") || text.contains("error for") {
                #expect(asked.contains((text.first == "→" ? "←" : "→") + number), "\(line)")
            } else {
                asked.insert(Substring("\(text.prefix(1))\(number)"))
            }
        }
    }

    @Test func `damaged data ends one direction with an error message`() throws {
        let connection = try #require(try transcript("litecore-pull-revtree").connections.first)
        let (client, server) = try plainBytes(connection)
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<40 {
            var damaged = server
            for _ in 0..<3 {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
            }
            try write("client", client)
            try write("server", damaged)
            let outcome = try shell.divan("wire", "decode", "client", "server", "--json")
            #expect([0, 2, 4].contains(outcome.status), "\(outcome.status): \(outcome.errors)")
        }
    }

    @Test func `late, duplicate and split packets are reordered`() throws {
        let connection = try #require(try transcript("litecore-pull-revtree").connections.first)
        let (client, server) = try plainBytes(connection)
        try write("client", client)
        try write("server", server)
        let plain = try shell.run("wire", "decode", "client", "server", "--json").output
        let messageCount = plain.split(separator: "\n").count { $0.contains("\"number\"") }
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<10 {
            let capture = Capture.shuffled(client, server, using: &generator)
            try write("late.pcap", capture)
            let outcome = try shell.run("wire", "decode", "late.pcap", "--json")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count { $0.contains("\"number\"") } == messageCount)
            #expect(!outcome.output.contains("\"problem\""))
        }
        // More clients that connect and say nothing than are followed.
        var crowded = Capture.shuffled(client, server, using: &generator)
        crowded.insert(contentsOf: Capture.knocks(1_100), at: Capture.headerByteCount)
        try write("crowded.pcap", crowded)
        let outcome = try shell.run("wire", "decode", "crowded.pcap", "--json")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count { $0.contains("\"number\"") } == messageCount)
        var damaged = Capture.shuffled(client, server, using: &generator)
        for _ in 0..<40 {
            let place = Int.random(in: 24..<damaged.count, using: &generator)
            damaged[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
            try write("damaged.pcap", damaged)
            let outcome = try shell.divan("wire", "decode", "damaged.pcap")
            #expect([0, 3, 4].contains(outcome.status), "\(outcome)")
        }
    }
}

/// A capture whose packets are in any order, over Ethernet and IPv6.
private enum Capture {
    static let headerByteCount = 24

    /// The first packets of connections in which nothing follows.
    static func knocks(_ count: UInt16) -> [UInt8] {
        (0..<count).flatMap { packet(isClient: true, port: 1_000 + $0, 7, flags: 0x02, []) }
    }

    static func shuffled(
        _ client: [UInt8],
        _ server: [UInt8],
        using generator: inout SeededGenerator
    ) -> [UInt8] {
        var capture: [UInt8] = [0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0]
        capture += [UInt8](repeating: 0, count: 8) + [0, 0, 4, 0] + [1, 0, 0, 0]
        capture += packet(isClient: true, 0xFFFF_FF00, flags: 0x02, [])
        capture += packet(isClient: false, 70, flags: 0x12, [])
        let head = client.count / 4
        capture += pieces(client[..<head], 0xFFFF_FF01, isClient: true, &generator)
        capture += pieces(server[...], 71, isClient: false, &generator)
        capture += pieces(client[head...], 0xFFFF_FF01 &+ UInt32(head), isClient: true, &generator)
        return capture
    }

    private static func pieces(
        _ bytes: ArraySlice<UInt8>,
        _ sequence: UInt32,
        isClient: Bool,
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var packets: [[UInt8]] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = min(bytes.endIndex, start + Int.random(in: 1...900, using: &generator))
            // Some begin before the end of the previous one, like retransmissions.
            let from = max(bytes.startIndex, start - Int.random(in: 0...30, using: &generator))
            let number = sequence &+ UInt32(from - bytes.startIndex)
            packets.append(
                packet(isClient: isClient, number, flags: 0x18, Array(bytes[from..<end]))
            )
            start = end
        }
        // The first stays first: it shows which end is the client.
        let late = packets.dropFirst().shuffled(using: &generator)
        return (packets.prefix(1) + late).flatMap { $0 }
    }

    private static func packet(
        isClient: Bool,
        port: UInt16 = 0x9000,
        _ sequence: UInt32,
        flags: UInt8,
        _ payload: [UInt8]
    ) -> [UInt8] {
        let client = [UInt8(port >> 8), UInt8(port & 0xFF)]
        let server: [UInt8] = [0x13, 0x78]
        var tcp = isClient ? client + server : server + client
        for shift in [24, 16, 8, 0] as [UInt32] { tcp.append(UInt8(sequence >> shift & 0xFF)) }
        tcp += [0, 0, 0, 0, 0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0] + payload
        var frame = [UInt8](repeating: 2, count: 12) + [0x86, 0xDD, 0x60, 0, 0, 0]
        frame += [UInt8(tcp.count >> 8), UInt8(tcp.count & 0xFF), 6, 64]
        let ends = [[UInt8](repeating: 1, count: 16), [UInt8](repeating: 9, count: 16)]
        frame += (isClient ? ends[0] + ends[1] : ends[1] + ends[0]) + tcp
        var header = [UInt8](repeating: 0, count: 8)
        for _ in 0..<2 {
            header += [UInt8(frame.count & 0xFF), UInt8(frame.count >> 8), 0, 0]
        }
        return header + frame
    }
}
