import DivanHTTP
import DivanPlatform
import DivanTransport
import Testing

/// For whom a proxy makes a request.
@Suite struct TrustedProxiesTests {
    private static let proxies = ["127.0.0.1", "::1", "10.0.0.0/8", "2001:db8::/33"]

    @Test(arguments: [
        ("127.0.0.1", ["192.0.2.7"], "192.0.2.7"), ("127.0.0.1", ["192.0.2.7:1234"], "192.0.2.7"),
        ("::1", ["[2001:db9::1]:99"], "2001:db9::1"), ("::1", ["2001:db9::1"], "2001:db9::1"),
        ("::ffff:10.9.8.7", ["192.0.2.7"], "192.0.2.7"),
        // The last one that is no proxy: what stands before it is the client's own claim.
        ("10.1.1.1", ["6.6.6.6, 192.0.2.7, 10.2.2.2"], "192.0.2.7"),
        ("10.1.1.1", ["6.6.6.6", "192.0.2.7"], "192.0.2.7"),
        ("10.1.1.1", ["10.2.2.2, 10.3.3.3"], "10.2.2.2"),
        ("2001:db8:7fff::1", ["192.0.2.7"], "192.0.2.7"),
        // A stranger's claim, and what is no address.
        ("192.0.2.9", ["192.0.2.7"], "192.0.2.9"), ("11.0.0.1", ["192.0.2.7"], "11.0.0.1"),
        ("2001:db8:8000::1", ["192.0.2.7"], "2001:db8:8000::1"), ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"), ("127.0.0.1", ["192.0.2.7, evil"], "127.0.0.1"),
        ("127.0.0.1", ["10.1"], "127.0.0.1"), ("127.0.0.1", ["fe80::1%lo"], "127.0.0.1"),
        ("127.0.0.1", ["[::2"], "127.0.0.1"), ("127.0.0.1", [","], "127.0.0.1"),
    ]) func `only a trusted proxy can set the client address`(
        peer: String,
        fields: [String],
        client: String
    ) throws {
        let proxies = try #require(TrustedProxies(Self.proxies))
        let address = try #require(SocketAddress(host: peer, port: 7))
        let headers = HTTPHeaders(fields.map { ("X-Forwarded-For", $0) })
        #expect(proxies.client(at: address, headers).host == client)
        #expect(TrustedProxies().client(at: address, headers) == address)
    }

    @Test(arguments: [
        "", "proxy.example", "10/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::/129",
        "10.0.0.0/-1",
    ])
    func `text that is neither an address nor a network is rejected`(_ text: String) {
        #expect(TrustedProxies([text]) == nil)
    }
}
