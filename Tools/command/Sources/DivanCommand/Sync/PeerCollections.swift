import CouchbaseLiteSwift
import DivanBLIP
import DivanBLIPChannel
import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanTransport
import DivanWebSocket
import DivanZlib
import Synchronization

/// Asks a peer which collections it shares.
///
/// The official protocol has no such request; only Divan peers answer `divan.listCollections`.
///
/// Source: `replication.md` §11.
final class PeerCollections: BLIPHandler {
    /// The maximum for one connection.
    private static let countLimit = 1000
    /// Seconds, including the time to connect.
    private static let patience = 60

    private final class Outcome: Sendable {
        let hasEnded = TimedSignal()
        let state = Mutex<Swift.Result<[CollectionName], Failure>?>(nil)

        /// Keeps the first answer.
        func take(_ result: Swift.Result<[CollectionName], Failure>) {
            state.withLock { $0 = $0 ?? result }
        }
    }

    private let channel: BLIPChannel
    private let outcome: Outcome

    private init(_ channel: BLIPChannel, _ outcome: Outcome) {
        self.channel = channel
        self.outcome = outcome
    }

    /// Asks the peer that is the second operand, with the options of a sync.
    ///
    /// - Throws: `Failure` if the peer cannot be reached, refuses, or does not answer.
    static func ask(_ arguments: Arguments, _ terminal: Terminal) throws -> [CollectionName] {
        let url = try WebSocketURL(arguments.operands[1])
        let transport = try PeerTransport.make(to: url, arguments, terminal)
        let outcome = Outcome()
        let channel = BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
            PeerCollections(channel, outcome)
        }
        let hasEnded = outcome.hasEnded.wait(for: .seconds(patience))
        if !hasEnded { channel.close() }
        guard let result = outcome.state.withLock({ $0 }) else {
            throw Failure(
                kind: .unreachable,
                sentence: hasEnded
                    ? "the peer closed the connection"
                    : "the peer did not list its collections within \(patience) s",
                hint: "try again, or name the collections with '--collections'"
            )
        }
        return try result.get()
    }

    func channelDidOpen(_ peer: TransportPeer) {
        channel.send(BLIPRequest(profile: "divan.listCollections", body: .bytes([])))
    }

    func channelDidReceive(_ event: BLIPEvent) {
        switch event {
        case .request(let request): channel.reply(to: request.id, with: .noHandler)
        case .reply(_, let reply):
            outcome.take(Self.read(reply))
            channel.close()
        case .replyPiece, .bodyFailed: break  // no reply is streamed, no body has a source
        }
    }

    private static func read(_ reply: BLIPIncomingReply) -> Swift.Result<[CollectionName], Failure>
    {
        if let error = reply.error {
            let isUnknown = error.domain == "BLIP" && error.code == 404
            return .failure(
                isUnknown
                    ? Failure(
                        kind: .refused,
                        sentence: "the peer cannot list its collections: it is not a Divan",
                        hint: "name the collections with '--collections'"
                    )
                    : Failure(
                        kind: .refused,
                        text: "the peer refused to list its collections: \(error)"
                    )
            )
        }
        let names = (try? JSON(parsing: reply.body))?.array?.map { $0.string ?? "" }
        guard let names else { return .failure(unreadable("it is not a JSON array")) }
        guard names.count <= countLimit else {
            return .failure(
                Failure(
                    kind: .invalid,
                    sentence: "the peer has \(names.count) collections, but a sync is limited to "
                        + "\(countLimit)",
                    hint: "name the collections with '--collections'"
                )
            )
        }
        let collections = names.compactMap { CollectionName($0) }
        guard collections.count == names.count else {
            return .failure(unreadable("it contains an invalid collection name"))
        }
        return .success(collections)
    }

    private static func unreadable(_ problem: String) -> Failure {
        Failure(kind: .refused, sentence: "cannot read the peer's list of collections: \(problem)")
    }

    func channelDidFail(_ error: BLIPError) {
        outcome.take(.failure(Failure(kind: .unreachable, text: "\(error)")))
        channel.close()
    }

    func channelDidClose(_ close: TransportClose) {
        if case .failed(let error) = close { outcome.take(.failure(Failure(error))) }
        outcome.hasEnded.signal()
    }
}
