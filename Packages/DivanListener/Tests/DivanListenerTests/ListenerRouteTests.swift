import Testing

@testable import DivanListener

/// Which paths name a database.
///
/// `@testable`: over a socket, a client that checks its URLs
/// would never send most of these.
@Suite struct ListenerRouteTests {
    @Test(arguments: [
        ("/kitchen/_blipsync", "kitchen"), ("/kitchen/_blipsync/", "kitchen"),
        ("/my%20kitchen/_blipsync", "my kitchen"), ("/k%C3%BCche/_blipsync", "küche"),
        ("/a%2Fb/_blipsync", "a/b"),
    ])
    func `a path with a database name and _blipsync is a replication route`(
        path: String,
        database: String
    ) {
        #expect(ListenerRoute(path: path) == .replication(database: database))
    }

    @Test(arguments: [
        "/", "", "/kitchen", "/_blipsync", "//_blipsync", "/kitchen/_blipsync/more",
        "/a/b/_blipsync", "/kitchen/_changes", "/k%zz/_blipsync", "/k%C3/_blipsync",
        "/k%2/_blipsync", "kitchen/_blipsync",
    ])
    func `any other path is an unknown route`(path: String) {
        #expect(ListenerRoute(path: path) == .unknown)
    }
}
