import DivanHTTP
import DivanStore
import Testing

// The header fields are internal.
@testable import DivanMeshPeer

/// What a stranger writes into the header fields of a handshake.
@Suite struct LinkHeadersTests {
    private static let recipes = CollectionPath("recipes") ?? .default

    @Test func `conditions are read back from the header`() throws {
        let paths = [CollectionPath.default, Self.recipes]
        let conditions = [Self.recipes: "name = 'crème, brûlée: 1'"]
        let headers = LinkHeaders.offer(paths, conditions)
        #expect(headers.unsendableField == nil)
        #expect(try LinkHeaders.conditions(headers) == conditions)
        #expect(LinkHeaders.common([Self.recipes], headers) == [Self.recipes])
        #expect(try LinkHeaders.conditions(LinkHeaders.offer(paths)).isEmpty)
    }

    @Test func `the longest conditions fit into a line of 8 KiB`() {
        let names = (0..<MeshPeerLimits.collectionCount).compactMap { CollectionPath("c\($0)") }
        let byteCount = MeshPeerLimits.subscriptionsByteCount / names.count
        let condition = String(repeating: "x", count: byteCount)
        let conditions = Dictionary(uniqueKeysWithValues: names.map { ($0, condition) })
        let headers = LinkHeaders.offer(names, conditions)
        #expect(headers.fields.allSatisfy { $0.name.utf8.count + $0.value.utf8.count < 8_000 })
    }

    @Test(
        arguments: [
            "", "0", "0:", ":YQ==", "-1:YQ==", "2:YQ==", "99999999999999999999:YQ==", "x:YQ==",
            "0:YQ==,0:YQ==", "0:YQ==,", "0:?", "0:/w==",
        ]
    )
    func `an invalid list of conditions is refused`(value: String) {
        let headers: HTTPHeaders = [
            "Divan-Mesh-Collections": "_default,recipes", "Divan-Mesh-Subscriptions": value,
        ]
        #expect(throws: MeshPeerError.self) { try LinkHeaders.conditions(headers) }
    }

    @Test func `a condition of a collection with an invalid name is refused`() {
        let headers: HTTPHeaders = [
            "Divan-Mesh-Collections": "a.b.c,recipes", "Divan-Mesh-Subscriptions": "0:YQ==",
        ]
        #expect(throws: MeshPeerError.self) { try LinkHeaders.conditions(headers) }
    }
}
