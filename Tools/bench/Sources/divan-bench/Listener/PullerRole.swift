import DivanBLIPChannel
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// Many light pullers of one listener.
///
/// It prints how many the listener answered, and then answers `pull N` with the seconds until all are
/// up to date and have N revisions together, `again N` with the same on new connections, `told N` with
/// the time at which they have N revisions, `knock N` with the number of connections that received the
/// first reply.
final class PullerRole {
    private let port: UInt16
    private let isSecure: Bool
    private let count: Int
    private let database: String
    private let isContinuous: Bool
    private let context: TLSContext
    private var crowd = EventCounter()
    private var pullers: [BLIPChannel] = []

    /// Takes the words `PORT tls|clear COUNT DATABASE continuous|once`.
    init(_ words: [String]) throws {
        guard words.count == 5, let port = UInt16(words[0]), let count = Int(words[2]) else {
            throw BenchFailure("pullers need a port, tls or clear, a number, a database, a kind")
        }
        self.port = port
        self.count = count
        isSecure = words[1] == "tls"
        database = words[3]
        isContinuous = words[4] == "continuous"
        context = try TLSContext.client(
            ClientTLSConfiguration(serverTrust: .callback { _ in true })
        )
    }

    func run() throws {
        try open(count)
        say("\(crowd.count(.ready))")
        while let question = readLine() {
            let words = question.split(separator: " ")
            let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
            switch words.first {
            case "pull": say("\(try pull(number))")
            case "again":
                for puller in pullers { puller.close() }
                try open(count)
                say("\(try pull(number))")
            case "told": say("\(try crowd.wait(for: .revision, number))")
            case "knock": say("\(try knock(number))")
            default: say("\(crowd.count(.revision))")
            }
        }
    }

    /// Opens pullers.
    private func open(_ count: Int) throws {
        let crowd = EventCounter()
        self.crowd = crowd
        pullers = try crowd.gather(count) { _ in LightPuller.open(over: transport(), in: crowd) }
    }

    private func pull(_ revisionCount: Int) throws -> Double {
        let start = monotonicSeconds()
        for puller in pullers { LightPuller.subscribe(puller, isContinuous: isContinuous) }
        let level = try crowd.wait(for: .caughtUp, count, seconds: 90)
        return max(level, try crowd.wait(for: .revision, revisionCount)) - start
    }

    /// Opens connections one after another and closes each after the first reply.
    private func knock(_ count: Int) throws -> Int {
        for _ in 0..<count {
            let crowd = EventCounter()
            let puller = LightPuller.open(over: transport(), in: crowd)
            _ = try crowd.wait(for: .ready, 1)
            puller.close()
            _ = try crowd.wait(for: .closed, 1)
        }
        return count
    }

    private func transport() -> WebSocketClientTransport {
        BenchClient.transport(
            to: port,
            context: isSecure ? context : nil,
            database: database,
            password: ListenerRole.credentials.password
        )
    }
}

extension BenchClient {
    /// Prepares a connection like a replicator's.
    static func transport(
        to port: UInt16,
        context: TLSContext?,
        database: String,
        password: String
    ) -> WebSocketClientTransport {
        let username = ListenerRole.credentials.username
        let token = Data("\(username):\(password)".utf8).base64EncodedString()
        var configuration = WebSocketClientTransport.Configuration(
            endpoint: WebSocketEndpoint(
                isSecure: context != nil,
                host: "127.0.0.1",
                port: port,
                target: "/\(database)/_blipsync"
            ),
            subprotocols: ["BLIP_3+CBMobile_3"],
            tls: context
        )
        configuration.headers = { _ in ["Authorization": "Basic \(token)"] }
        return WebSocketClientTransport(configuration)
    }
}
