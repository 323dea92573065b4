import DivanPlatform
import DivanWebSocket
import Foundation
import Testing

@_spi(Stores) @testable import CouchbaseLiteSwift

/// The cookies of a database, set by several connections at once.
///
/// `@testable`: puts concurrent server responses into a fixed order.
@Suite(.timeLimit(.minutes(5))) struct CookieStoreTests {
    @Test func `cookies set at the same time are all kept`() throws {
        let database = try Database.inMemory()
        let store = try database.openStore()
        let endpoint = try WebSocketURL("ws://127.0.0.1:9/db").endpoint
        var (first, second) = (HTTPHeaders(), HTTPHeaders())
        first.append("Set-Cookie", "first=1; Path=/; Max-Age=3600")
        second.append("Set-Cookie", "second=1; Path=/; Max-Age=3600")
        let cookies = CookieStore(store, SharedCookieJar(), acceptsParentDomains: false)
        let isKept = DispatchSemaphore(value: 0)
        try database.inBatch {
            Thread.detachNewThread { [first] in
                cookies.receive(first, from: endpoint)
                isKept.signal()
            }
            // The other one is now waiting for the batch, or about to.
            while cookies.header(for: endpoint, beside: nil) == nil { CurrentThread.yield() }
            cookies.receive(second, from: endpoint)
        }
        isKept.wait()
        let again = CookieStore(store, SharedCookieJar(), acceptsParentDomains: false)
        let field = again.header(for: endpoint, beside: nil) ?? ""
        #expect(field.contains("first=1") && field.contains("second=1"))
        try database.close()
    }
}
