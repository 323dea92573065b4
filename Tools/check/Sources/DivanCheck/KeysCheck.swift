import Foundation

/// No collection is keyed by `String`: it treats texts as equal that Unicode calls equivalent, but
/// the wire, the store and the file system do not.
///
/// Except where the official API dictates it, a dictionary or set is keyed by `DocumentID`,
/// `ExactText`, bytes, or another type with its own equality; a document's name is a `DocumentID`.
struct KeysCheck {
    let tree: SourceTree
    /// File, code and reason of each declaration that stays, one a line.
    var exceptions = Self.standing

    func violations() throws -> [Violation] {
        let exceptions = self.exceptions.split(separator: "\n").map {
            $0.components(separatedBy: " | ")
        }
        var unused = Set(exceptions)
        let keys = try Pattern(#"\[String ?:|Set<String>|Dictionary<String|ocumentID: String"#)
        let remedy = "use DocumentID or ExactText, or say in KeysCheck why it is harmless"
        let files = tree.sources() + tree.files(in: "Tools/command/Sources")
        var violations: [Violation] = []
        for file in files where !Self.skipped.contains(where: file.hasPrefix) {
            let text = try tree.text(file)
            guard !keys.matches(in: text).isEmpty else { continue }
            for line in try tree.lines(of: [file]) {
                let isPublicAPI = file.hasPrefix("Packages/CouchbaseLiteSwift/")
                // The official API accepts and returns these; its guide explains what that merges.
                let code = isPublicAPI ? line.code.replacing("[String: Any]", with: "") : line.code
                guard let match = keys.matches(in: String(code)).first,
                    !isPublicAPI || !match.groups[0].hasPrefix("ocumentID")
                else { continue }
                let excuses = exceptions.filter {
                    file.hasSuffix("/\($0[0])") && line.text.contains($0[1])
                }
                unused.subtract(excuses)
                guard excuses.isEmpty else { continue }
                let problem = "a name is compared as String, by Unicode equivalence"
                violations.append(Violation(line.place, problem, remedy))
            }
        }
        return violations
            + unused.sorted { $0[0] < $1[0] }.map {
                Violation($0[0], "no line has \"\($0[1])\"", "remove the exception from KeysCheck")
            }
    }

    /// Test tools use their own constants as keys.
    private static let skipped = [
        "Packages/DivanTestKit/",
        // Dictionaries of the caller, as `Document.init(id:_:)` documents.
        "Packages/Divan/",
        "Tools/command/Sources/divan-demo/",
        "Tools/command/Sources/DivanProbe/", "Tools/command/Sources/studio-pictures/",
    ]

    private static let standing = """
        ModernAPI.swift | parameters: [String: JSON] | names of parameters, as in the official API
        Replicator+Pending.swift | -> Set<String> | the official signature
        Value+Any.swift | [String:  | made from the caller's dictionary, which has merged already
        CallerTypes.swift | [String: T] | the caller's dictionary
        CallerTypes.swift | [String: Any?].self | the caller's dictionary
        HostField.swift | names: Set<String> | host names in lower case, ASCII by the rules of DNS
        PropertyNames.swift | counts: [String: Int] | names for a hint, shown only
        ChildProcess.swift | [String: String] | variables of an environment, ASCII
        Secret.swift | [String: String] | our own prompts, constants
        URLEndpointListener+Statistics.swift | [String: UInt64] | the names of our codecs
        ConflictChoice.swift | _ documentID: String | shown only; the public API gives text
        MissingBlobs.swift | as [String: Any] | from the public API; only blobs in it are used
        PlainParser.swift | [String: Any] | what the official toDictionary() returns
        PlainParser.swift | mutating func parseText() | what the official toDictionary() returns
        PlainValues.swift | ) -> [String: Any] { | what the official toDictionary() returns
        ObjectShapes.swift | let numbers: [String: Int] | what the official toDictionary() returns
        SQLiteKeptStatements.swift | prepared: [String: StoreStatement] | our own SQL, ASCII constants
        SQLiteVectorFunctions.swift | indexes: [String: SQLiteVectorIndex] | names of our own tables
        VectorCellCache.swift | indexes: [String: Index] | names of our own tables
        AddressLimiter.swift | entries: [String: Entry] | numeric addresses from the kernel
        ListenerStatistics.swift | [String: UInt64] | the names of our codecs
        ListenerConfiguration.swift | databases: [String: SharedDatabase] | the owner's own names
        SimulatedNetwork.swift | listeners: [String: Listener] | hosts of a simulation
        SimulatedNetwork.swift | isolated: Set<String> | hosts of a simulation
        WebSocketEndpoint.swift | schemes: [String: Bool] | URL schemes, ASCII constants
        Arguments.swift | values: [String: [String]] | names of our options
        StoredCheckpoints.swift | names: [String: Entry] | checkpoint IDs: cp- and base64
        SyncTally.swift | collections: [String: Counts] | names of collections, ASCII
        DiscoveryProbe.swift | peers: [String: DiscoveredPeer] | names of services, shown only
        Mesh+Peer.swift | subscriptions: [String: String] | names of collections, ASCII
        LogCommand.swift | domains: Set<String> | names of log domains, shown only
        BashCompletion.swift | seen: Set<String> | names of our verbs and options
        TextRecord.swift | [String: String] | keys of TXT records, ASCII by RFC 6763 §6.4
        PeerAdvertisement.swift | [String: String] | keys of TXT records
        DiscoveredPeer.swift | [String: String] | keys of TXT records
        ListenerAdvertisement.swift | [String: String] | keys of TXT records
        PlugInFailure.swift | names: Set<String> | names of codecs, checked to be ASCII before
        TLSIdentity+Stores.swift | [String: String] | X.509 attribute names, constants of the API
        TLSIdentity.swift | [String: String] | X.509 attribute names, constants of the API
        CertificateTemplate.swift | [String: String] | X.509 attribute names
        ReplicatorConfiguration.swift | [String: String] | HTTP header names, ASCII
        ClientCredentials.swift | [String: String] | HTTP header names
        Authenticator.swift | [String: String] | HTTP header names
        ServerTrustOptions+Reading.swift | [String: String] | HTTP header names
        Environment.swift | [String: String] | names of our variables, ASCII constants
        Streams.swift | [String: String] | names of our variables
        """
}
