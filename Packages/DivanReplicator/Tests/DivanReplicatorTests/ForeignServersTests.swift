import DivanBLIP
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A database that pushes to two servers other than Divan, which do not know closed branches.
@Suite struct ForeignServersTests {
    /// One of them, with the current revision of its only document.
    private struct Server {
        var connection: Counterpart
        var revision: String?
        var body = ""
        private(set) var storedCount = 0

        init(_ site: Site, _ url: String) throws {
            var configuration = Conversation.Options(pulls: false, isContinuous: true).active
            guard case .active(var options) = configuration.role else { throw NoActiveRole() }
            options.remoteIdentity = url
            configuration.role = .active(options)
            connection = Counterpart(configuration, site)
            try connection.answer("getCollections", "[{}]")
        }

        /// Answers pending requests; returns whether there were any.
        mutating func answer(_ changes: [StoreChange]) throws -> Bool {
            for change in changes { connection.peer.storeChanged(change, at: .zero) }
            connection.exchange()
            guard let request = connection.requests.first else { return false }
            switch request.profile {
            case "proposeChanges":
                let proposals = try JSON(parsing: request.body.span).array ?? []
                let verdicts = proposals.map { proposal in
                    guard let revision, proposal.array?.dropFirst(2).first?.string != revision
                    else { return "0" }
                    return #"{"status":409,"rev":"\#(revision)"}"#
                }
                try connection.answer("proposeChanges", "[\(verdicts.joined(separator: ","))]")
            case "rev":
                let parent = request.properties["history"]?.split(separator: ",").first
                guard parent.map(String.init) == revision else {
                    try connection.refuse("rev", "HTTP", 409)
                    return true
                }
                revision = request.properties["rev"]
                body = String(decoding: request.body, as: UTF8.self)
                storedCount += 1
                try connection.answer("rev")
            default: try connection.answer(request.profile, "", ["rev": "0-1"])
            }
            return true
        }
    }

    private struct NoActiveRole: Error {}

    private static let urls = ["wss://one.example/db", "wss://two.example/db"]

    /// Continues until nobody sends anything, or for this many rounds.
    private func settle(_ servers: inout [Server], _ site: Site) throws -> Int {
        for round in 0..<200 {
            let changes = site.takeChanges()
            var isAny = !changes.isEmpty
            for index in servers.indices where try servers[index].answer(changes) { isAny = true }
            if !isAny { return round }
        }
        return .max
    }

    @Test func `a revision that lost at one of two servers does not make them alternate forever`()
        throws
    {
        let site = try Site()
        try site.save("a", #"{"v":"mine"}"#)
        var servers = try Self.urls.map { try Server(site, $0) }
        // The second stores it, and the first has created another one.
        servers[0].revision = "1-bb"
        servers[0].body = #"{"v":"theirs"}"#
        #expect(try settle(&servers, site) < 50)
        #expect(servers[1].body == #"{"v":"mine"}"#)
        try site.receive("1-bb", servers[0].body, from: Self.urls[0])
        try site.keepRemote()
        #expect(try settle(&servers, site) < 50)
        #expect(servers.map(\.body) == [#"{"v":"theirs"}"#, #"{"v":"theirs"}"#])
        #expect(servers.map(\.storedCount) == [0, 2])

        try site.save("a", #"{"v":"later"}"#)
        #expect(try settle(&servers, site) < 50)
        #expect(servers.map(\.body) == [#"{"v":"later"}"#, #"{"v":"later"}"#])
        #expect(servers.map(\.storedCount).reduce(0, +) <= 6)
    }
}
