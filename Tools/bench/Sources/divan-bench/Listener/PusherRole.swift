import DivanBLIPChannel
import DivanTLS
import DivanTransport
import Foundation

/// Many light pushers of one listener.
///
/// It prints how many the listener answered, and then answers `push` with the seconds until everything
/// was pushed.
final class PusherRole {
    private let port: UInt16
    private let database: String
    private let loads: [LightPusher.Load]
    private let context: TLSContext

    /// Takes the words `PORT COUNT DATABASE DOCUMENTS PREFIX`; each pushes this many documents.
    init(_ words: [String]) throws {
        guard words.count == 5, let port = UInt16(words[0]), let count = Int(words[1]),
            let documentCount = Int(words[3])
        else {
            throw BenchFailure("pushers need a port, a number, a database, documents, a prefix")
        }
        self.port = port
        database = words[2]
        let bodies = try DocumentShape.routes.bodies()
        loads = (0..<count).map { number in
            let prefix = "\(words[4])-\(number)-"
            return LightPusher.Load(prefix: prefix, count: documentCount, bodies: bodies)
        }
        context = try TLSContext.client(
            ClientTLSConfiguration(serverTrust: .callback { _ in true })
        )
    }

    func run() throws {
        let crowd = EventCounter()
        let pushers = try crowd.gather(loads.count) { number in
            let transport = BenchClient.transport(
                to: port,
                context: context,
                database: database,
                password: ListenerRole.credentials.password
            )
            return LightPusher.open(over: transport, loads[number], in: crowd)
        }
        say("\(crowd.count(.ready))")
        guard readLine() == "push" else { return }
        let start = monotonicSeconds()
        for (pusher, load) in zip(pushers, loads) { LightPusher.begin(pusher, load) }
        let end = try crowd.wait(for: .caughtUp, loads.count, seconds: 90)
        guard crowd.count(.closed) == 0 else { throw BenchFailure("a pusher was refused") }
        say("\(end - start)")
        _ = readLine()
    }
}
