import DivanJSON
import DivanStudio
import Testing

@testable import DivanCommand

/// The graph of a mesh as text.
@Suite struct MeshGraphPageTests {
    private static func id(_ digit: String) -> String { String(repeating: digit, count: 64) }

    @Test func `each peer is listed with its links and their reasons`() throws {
        let status: JSONObject = [
            "verb": "mesh", "database": "notes", "group": "home", "peerID": .string(Self.id("1")),
            "name": "kitchen",
            "peers": [
                [
                    "peerID": .string(Self.id("5")), "name": "hall", "online": true,
                    "direction": "outgoing", "reason": "ring", "activity": "busy", "rate": 12,
                    "pending": 40, "neighbours": [.string(Self.id("1")), .string(Self.id("9"))],
                ],
                [
                    "peerID": .string(Self.id("9")), "online": true,
                    "neighbours": [.string(Self.id("5"))],
                ],
                ["peerID": .string(Self.id("c")), "name": "cellar", "online": false],
            ],
        ]
        let graph = try #require(MeshGraph(status: status))
        #expect(
            MeshGraphPage(graph).lines == [
                "mesh notes home: 3 of 4 peers online, 2 links",
                "kitchen (this peer)",
                "  ring     hall          outgoing, busy, 12 documents/s, 40 pending",
                "hall",
                "  ring     kitchen",
                "  ring     999999999999",
                "999999999999",
                "  ring     hall",
                "cellar (offline)",
            ]
        )
    }
}
