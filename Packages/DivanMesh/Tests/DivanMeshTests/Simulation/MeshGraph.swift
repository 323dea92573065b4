import DivanMesh

/// The links between peers, and what they are worth.
struct MeshGraph: Equatable {
    private(set) var links: [MeshPeerID: Set<MeshPeerID>] = [:]

    init(_ peers: [MeshPeerID]) {
        for peer in peers { links[peer] = [] }
    }

    mutating func link(_ one: MeshPeerID, _ other: MeshPeerID) {
        links[one, default: []].insert(other)
        links[other, default: []].insert(one)
    }

    /// Without the peers that have left.
    func without(_ gone: Set<MeshPeerID>) -> MeshGraph {
        var rest = self
        rest.links = links.filter { !gone.contains($0.key) }.mapValues { $0.subtracting(gone) }
        return rest
    }

    var linkCount: Int { links.values.reduce(0) { $0 + $1.count } / 2 }
    var largestDegree: Int { links.values.map(\.count).max() ?? 0 }
    var meanDegree: Double { links.isEmpty ? 0 : 2 * Double(linkCount) / Double(links.count) }

    /// Links that exist in one of the two, and not in the other.
    func changes(to other: MeshGraph) -> Int { pairs.symmetricDifference(other.pairs).count }

    private var pairs: Set<[MeshPeerID]> {
        Set(links.flatMap { peer, others in others.map { [peer, $0].sorted() } })
    }

    /// Links on the way to each peer that can be reached.
    private func distances(from start: MeshPeerID) -> [MeshPeerID: Int] {
        var distances = [start: 0]
        var frontier = [start]
        var step = 0
        while !frontier.isEmpty {
            step += 1
            var next: [MeshPeerID] = []
            for peer in frontier {
                for other in links[peer] ?? [] where distances[other] == nil {
                    distances[other] = step
                    next.append(other)
                }
            }
            frontier = next
        }
        return distances
    }

    var isConnected: Bool {
        guard let first = links.keys.first else { return true }
        return distances(from: first).count == links.count
    }

    /// The parts of the mesh, each with its peers.
    var components: [Set<MeshPeerID>] {
        var components: [Set<MeshPeerID>] = []
        for peer in links.keys where !components.contains(where: { $0.contains(peer) }) {
            components.append(Set(distances(from: peer).keys))
        }
        return components
    }

    /// The longest of the shortest ways; `nil` if it is not connected.
    var diameter: Int? {
        guard isConnected else { return nil }
        return links.keys.map { distances(from: $0).values.max() ?? 0 }.max() ?? 0
    }
}
