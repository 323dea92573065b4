import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanZlib
import Foundation

/// One connection of a database to the model of Sync Gateway, frame by frame, so that it can be cut anywhere.
struct GatewayMeeting {
    let site: Site
    let gateway: GatewayModel
    let options: Conversation.Options
    let resolve: (StoredConflict) -> ConflictDecision
    private(set) var events: [DocumentEvent] = []
    private(set) var conflictCount = 0
    private(set) var closeCode: UInt16?
    private let peer: any SyncPeer
    private var blip = BLIPConnection(codec: DeflateCodec())
    private var announced: [BLIPRequestNumber: [(DocumentID, GatewayModel.Document)]] = [:]

    init(
        _ site: Site,
        _ gateway: GatewayModel,
        _ options: Conversation.Options,
        resolve: @escaping (StoredConflict) -> ConflictDecision
    ) {
        (self.site, self.gateway, self.options, self.resolve) = (site, gateway, options, resolve)
        peer = options.active.makePeer(store: site.store)
        let version = gateway.scheme == .trees ? Subprotocol.version3 : .version4
        peer.connected(subprotocol: version.rawValue, at: .zero)
    }

    /// Continues to the end, or cuts the connection after that many frames.
    mutating func run(cutAfter frameCount: Int = .max) throws {
        var left = frameCount
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for change in site.takeChanges() { peer.storeChanged(change, at: .zero) }
            if drainEffects() { isQuiet = false }
            var frame: [UInt8] = []
            while left > 0, peer.nextFrame(into: &frame) {
                (isQuiet, left) = (false, left - 1)
                _ = try blip.receive(frame.span)
                frame = []
            }
            while let event = blip.next() { try handle(event) }
            while left > 0, blip.nextFrame(into: &frame) {
                (isQuiet, left) = (false, left - 1)
                peer.receive(frame.span, at: .zero)
                frame = []
            }
            if !isQuiet { peer.inputDrained(at: .zero) }
        }
        let isLost = closeCode == nil
        let error = isLost ? SyncError(.webSocket, 1006, "connection lost") : nil
        peer.disconnected(error: error, at: .zero)
        _ = drainEffects()
    }

    private mutating func drainEffects() -> Bool {
        var isAny = false
        while let effect = peer.next() {
            isAny = true
            switch effect {
            case .close(let code, _): closeCode = closeCode ?? code.number
            case .documents(let documents): events += documents
            case .store(let work):
                work.run()
                peer.advance(to: .zero)
            case .resolve(let conflict):
                conflictCount += 1
                try? site.settle(conflict, closesRemote: peer.peerTakesClosedBranches, by: resolve)
                peer.conflictResolved(conflict, at: .zero)
            case .status, .blob, .transfer: break
            }
        }
        return isAny
    }
}

// MARK: - The server's part

extension GatewayMeeting {
    private mutating func handle(_ event: BLIPEvent) throws {
        switch event {
        case .request(let request): try handle(request)
        case .reply(let number, let reply): send(announced[number] ?? [], wantedBy: reply)
        case .replyPiece, .bodyFailed: break
        }
    }

    private mutating func handle(_ request: BLIPIncomingRequest) throws {
        let properties = request.properties
        switch request.profile {
        case "getCollections":
            let names = try Self.object(request.body)["checkpoint_ids"] as? [String] ?? []
            let copies = names.map { gateway.checkpoint($0) }
            answer(request, "[\(copies.joined(separator: ","))]")
        case "setCheckpoint":
            let revision = gateway.setCheckpoint(properties["client"] ?? "", request.body)
            blip.reply(to: request.id, with: BLIPReply(properties: ["rev": revision]))
        case "subChanges":
            answer(request, "")
            announce(properties)
        case "proposeChanges":
            let entries = try JSONSerialization.jsonObject(with: Data(request.body)) as? [[Any]]
            let answers = (entries ?? []).map { gateway.evaluate($0) }
            answer(request, "[\(answers.joined(separator: ","))]")
        case "rev": try receive(request)
        default: answer(request, "")
        }
    }

    private static func object(_ body: [UInt8]) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }

    private mutating func answer(_ request: BLIPIncomingRequest, _ body: String) {
        guard !request.isNoReply else { return }
        blip.reply(to: request.id, with: BLIPReply(body: .bytes(Array(body.utf8))))
    }

    private mutating func receive(_ request: BLIPIncomingRequest) throws {
        let id = DocumentID(unchecked: request.properties["id"] ?? "")
        let body = String(decoding: request.body, as: UTF8.self)
        guard try gateway.receive(id, request.properties, body) else {
            let message = "Document revision conflict"
            let refusal = BLIPReply.error(domain: "HTTP", code: 409, message: message)
            return blip.reply(to: request.id, with: refusal)
        }
        answer(request, "")
    }

    private mutating func announce(_ properties: BLIPProperties) {
        let changes = gateway.changes(
            after: properties["since"].flatMap { UInt64($0) } ?? 0,
            skippingTombstones: properties["activeOnly"] == "true"
        )
        if !changes.isEmpty, let number = blip.send(list(changes)) { announced[number] = changes }
        _ = blip.send(list([]))
    }

    private func list(_ changes: [(DocumentID, GatewayModel.Document)]) -> BLIPRequest {
        let body = Array(GatewayModel.list(changes).utf8)
        return BLIPRequest(profile: "changes", properties: ["collection": "0"], body: .bytes(body))
    }

    private mutating func send(
        _ changes: [(DocumentID, GatewayModel.Document)],
        wantedBy reply: BLIPIncomingReply
    ) {
        let answers = try? JSONSerialization.jsonObject(with: Data(reply.body)) as? [Any]
        for (change, answer) in zip(changes, answers ?? []) where answer is [Any] {
            _ = blip.send(gateway.message(change.0, change.1))
        }
    }
}
