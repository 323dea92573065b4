import DivanCrypto
public import DivanJSON
public import DivanMesh

/// Who is linked to whom in a mesh, as one of its peers sees it.
///
/// The peer has the reasons of its own links. Other peers announce their neighbours, but no reasons: those follow from
/// the plan, which is a function of the IDs.
public struct MeshGraph: Sendable {
    /// The maximum number of peers in a graph; linked and online peers are preferred.
    public static let peerLimit = 200

    /// A peer of the mesh.
    public struct Peer: Sendable {
        /// The ID as 64 hexadecimal digits.
        public let id: String
        /// The certificate's common name, or the beginning of the ID; unique in the graph.
        public let label: String
        /// Whether this peer made the graph.
        public let isOwn: Bool
        /// Whether it is believed to be running.
        public let isOnline: Bool
        /// Whether it has the same revision scheme; otherwise it is never linked.
        public let isCompatible: Bool

        /// What distinguishes it from an ordinary member, such as `this peer` or `offline`.
        public var details: [String] {
            (isOwn ? ["this peer"] : []) + (isOnline ? [] : ["offline"])
                + (isCompatible ? [] : ["different revision scheme"])
        }
    }

    /// A link between two peers.
    public struct Link: Sendable {
        /// The places of both peers in `peers`, the lower one first.
        public let ends: (first: Int, second: Int)
        /// Why it exists; `nil` for a link of two other peers that is not planned.
        public let reason: MeshLinkStatus.Reason?
        /// What is known of this peer's own links.
        public let traffic: Traffic?

        /// The reason as a word: `other` if it is unknown.
        public var reasonText: String { reason?.rawValue ?? "other" }
    }

    /// The replication over one of this peer's links.
    public struct Traffic: Sendable {
        /// `outgoing` if this peer called, otherwise `incoming`.
        public let direction: String
        /// What the replication does: `idle`, `busy`.
        public let activity: String
        /// Documents per second in both directions, averaged over a few seconds.
        public let documentRate: Int64
        /// Documents still to be transferred.
        public let pendingCount: Int64

        /// The figures that are not zero, such as `12 documents/s, 40 pending`.
        public var figures: [String] {
            (documentRate > 0 ? ["\(documentRate) documents/s"] : [])
                + (pendingCount > 0 ? ["\(pendingCount) pending"] : [])
        }
    }

    /// The database's name.
    public let database: String
    /// The group's name.
    public let group: String
    /// The peers in the order of the ring, beginning with this one.
    public let peers: [Peer]
    /// The open links, this peer's own first.
    public let links: [Link]
    /// How many known peers are left out.
    public let omittedPeerCount: Int

    /// Reads a published status; `nil` if it is not the status of a mesh.
    public init?(status: JSONObject) {
        guard status["verb"]?.string == "mesh", let own = Entry(status, isOwn: true) else {
            return nil
        }
        let known = Self.others(in: status, than: own)
        let shown = known.prefix(Self.peerLimit - 1)
        let entries = [own] + shown.sorted { $0.follows(own, before: $1) }
        database = status["database"]?.string ?? ""
        group = status["group"]?.string ?? ""
        omittedPeerCount = known.count + 1 - entries.count
        peers = Self.peers(entries)
        links = Self.ownLinks(entries) + Self.otherLinks(entries)
    }

    /// The other peers, those that matter most first.
    private static func others(in status: JSONObject, than own: Entry) -> [Entry] {
        var ids: Set<MeshPeerID> = [own.id]
        return (status["peers"]?.array ?? []).compactMap { $0.object.flatMap { Entry($0) } }
            .filter { ids.insert($0.id).inserted }
            .sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
    }

    private static func peers(_ entries: [Entry]) -> [Peer] {
        let counts = Dictionary(entries.map { ($0.name, 1) }, uniquingKeysWith: +)
        return entries.map { entry in
            let isUnique = counts[entry.name] == 1
            return Peer(
                id: "\(entry.id)",
                label: isUnique ? entry.name : "\(entry.name) \("\(entry.id)".prefix(6))",
                isOwn: entry.isOwn,
                isOnline: entry.isOnline,
                isCompatible: entry.isCompatible
            )
        }
    }

    private static func ownLinks(_ entries: [Entry]) -> [Link] {
        entries.indices.compactMap { index in
            guard let reason = entries[index].reason else { return nil }
            return Link(
                ends: (0, index),
                reason: MeshLinkStatus.Reason(rawValue: reason),
                traffic: entries[index].traffic
            )
        }
    }

    /// The links that online peers announce; a peer that is gone still lists its last neighbours.
    private static func otherLinks(_ entries: [Entry]) -> [Link] {
        let places = Dictionary(uniqueKeysWithValues: zip(entries.map(\.id), entries.indices))
        let members = entries.filter { $0.isOnline && $0.isCompatible }.map(\.id)
        var plans: [Int: [MeshPeerID: PlannedLink]] = [:]
        func plan(_ place: Int) -> [MeshPeerID: PlannedLink] {
            if let plan = plans[place] { return plan }
            let id = entries[place].id
            let links = RingPlanner().links(
                of: id,
                among: members.filter { $0 != id },
                breadth: 1
            )
            let plan = Dictionary(uniqueKeysWithValues: links.map { ($0.peer, $0) })
            plans[place] = plan
            return plan
        }
        var found: [Int: Set<Int>] = [:]
        for (place, entry) in entries.enumerated() where !entry.isOwn && entry.isOnline {
            for case let neighbour? in entry.neighbours.map({ places[$0] }) {
                guard neighbour != 0, neighbour != place, entries[neighbour].isOnline else {
                    continue
                }
                found[min(place, neighbour), default: []].insert(max(place, neighbour))
            }
        }
        return found.sorted { $0.key < $1.key }.flatMap { first, others in
            others.sorted().map { second in
                let planned = [plan(first)[entries[second].id], plan(second)[entries[first].id]]
                    .compactMap(\.self)
                let isRing = planned.contains(where: \.isEssential)
                return Link(
                    ends: (first, second),
                    reason: planned.isEmpty ? nil : isRing ? .ring : .hash,
                    traffic: nil
                )
            }
        }
    }
}

extension MeshGraph {
    /// The graph for machines; a link names its peers by their IDs.
    public var json: JSON {
        [
            "database": .string(database), "group": .string(group),
            "peerID": .string(peers[0].id), "omitted": JSON(omittedPeerCount),
            "peers": .array(
                peers.map { peer in
                    [
                        "peerID": .string(peer.id), "name": .string(peer.label),
                        "online": .bool(peer.isOnline), "compatible": .bool(peer.isCompatible),
                    ]
                }
            ),
            "links": .array(links.map(json)),
        ]
    }

    private func json(_ link: Link) -> JSON {
        var object: JSONObject = [
            "peers": [.string(peers[link.ends.first].id), .string(peers[link.ends.second].id)],
            "reason": .string(link.reasonText),
        ]
        if let traffic = link.traffic {
            object["direction"] = .string(traffic.direction)
            object["activity"] = .string(traffic.activity)
            object["rate"] = JSON(traffic.documentRate)
            object["pending"] = JSON(traffic.pendingCount)
        }
        return .object(object)
    }

    /// The counts as a sentence, such as `4 of 5 peers online, 4 links`.
    public var summary: String {
        let online = peers.count { $0.isOnline }
        let total = peers.count + omittedPeerCount
        return "\(online) of \(total) \(total == 1 ? "peer" : "peers") online, "
            + "\(links.count) \(links.count == 1 ? "link" : "links")"
    }
}

/// A peer as published in a status.
private struct Entry {
    let id: MeshPeerID
    let name: String
    let isOwn: Bool
    let isOnline: Bool
    let isCompatible: Bool
    let neighbours: [MeshPeerID]
    let reason: String?
    let traffic: MeshGraph.Traffic?

    init?(_ object: JSONObject, isOwn: Bool = false) {
        guard let id = object["peerID"]?.string.flatMap(Self.id) else { return nil }
        self.id = id
        self.isOwn = isOwn
        name = object["name"]?.string ?? String("\(id)".prefix(12))
        isOnline = isOwn || object["online"]?.bool == true
        isCompatible = object["compatible"]?.bool != false
        let neighbours = object["neighbours"]?.array ?? []
        self.neighbours = neighbours.prefix(MeshLimits.neighbourCount)
            .compactMap { $0.string.flatMap(Self.id) }
        reason = isOwn ? nil : object["reason"]?.string
        traffic = MeshGraph.Traffic(
            direction: object["direction"]?.string ?? "",
            activity: object["activity"]?.string ?? "",
            documentRate: object["rate"]?.int ?? 0,
            pendingCount: object["pending"]?.int ?? 0
        )
    }

    private static func id(_ text: String) -> MeshPeerID? {
        guard let bytes = Hex.decode(text) else { return nil }
        return MeshPeerID(bytes.span)
    }

    /// Linked peers come first, then those that are online.
    var rank: Int { reason != nil ? 0 : isOnline ? 1 : 2 }

    /// Whether this peer is on the ring between two others, clockwise.
    func follows(_ start: Entry, before end: Entry) -> Bool {
        (start.id.distance(to: id), id) < (start.id.distance(to: end.id), end.id)
    }
}
