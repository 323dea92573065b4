import DivanDiscovery
import DivanMesh
import DivanWebSocket

extension MeshAddress {
    /// The place of a peer as a WebSocket endpoint, with the path of the group.
    func endpoint(of group: MeshGroup) -> WebSocketEndpoint? {
        try? WebSocketEndpoint("wss://\(self)\(group.path)")
    }
}

extension DiscoveredPeer {
    /// The places of the peer: its addresses, then its host name.
    ///
    /// What is no address is left out: all of it comes from strangers.
    var meshAddresses: [MeshAddress] {
        let hosts = addresses.map { address in
            let escaped = address.split(separator: "%", maxSplits: 1).joined(separator: "%25")
            return address.contains(":") ? "[\(escaped)]" : address
        }
        return (hosts + [host]).compactMap { try? MeshAddress("\($0):\(port)") }
    }

    /// What the mesh learns from the advertisement; `nil` if it is not a peer's.
    var advertisement: MeshAdvertisement? {
        guard let announcement = try? MeshAnnouncement(textStrings: record.strings) else {
            return nil
        }
        return MeshAdvertisement(
            name: Array(name.utf8),
            announcement: announcement,
            addresses: meshAddresses
        )
    }
}
