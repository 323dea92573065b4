import DivanLog
import Testing

@testable import CouchbaseLiteSwift

/// `behaviour.md` §17: how inner domains map to public ones; internal, because only the module sees both.
@Suite struct LogDomainTests {
    @Test func `public and internal log domains are the same`() {
        let pairs: [(DivanLog.LogDomain, CouchbaseLiteSwift.LogDomain)] = [
            (.database, .database), (.query, .query), (.sync, .replicator),
            (.webSocket, .network), (.blip, .network), (.tls, .network), (.listener, .listener),
            (.discovery, .peerDiscovery), (.mdns, .mdns), (.multipeer, .multipeer),
        ]
        for (inner, domain) in pairs { #expect(CouchbaseLiteSwift.LogDomain(inner) == domain) }
        for domain in CouchbaseLiteSwift.LogDomain.allCases {
            #expect(CouchbaseLiteSwift.LogDomain(domain.inner) == domain)
        }
    }
}
