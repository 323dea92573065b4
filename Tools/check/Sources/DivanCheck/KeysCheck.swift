/// No collection is keyed by `String`: it treats texts as equal that Unicode calls equivalent, but
/// the wire, the store and the file system do not.
///
/// Except where the official API dictates it, a dictionary or set is keyed by `DocumentID`,
/// `ExactText`, bytes, or another type with its own equality; a document's name is a
/// `DocumentID`. The exceptions are listed with the reason why they can do no harm.
public struct KeysCheck {
    /// A declaration that stays as it is.
    public struct Exception: Sendable {
        let file: String
        let code: String
        let reason: String

        /// Permits the lines of a file that contain `code`.
        public init(_ file: String, _ code: String, because reason: String) {
            self.file = file
            self.code = code
            self.reason = reason
        }
    }

    private let tree: SourceTree
    private let exceptions: [Exception]

    /// Checks the given checkout.
    public init(_ tree: SourceTree, exceptions: [Exception] = Self.standing) {
        self.tree = tree
        self.exceptions = exceptions
    }

    /// Returns every declaration that is keyed by text, and every unused exception.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        var used: Set<Int> = []
        for file in files {
            for (index, line) in try tree.text(file).lines.enumerated() where offends(line, file) {
                let passes = exceptions.indices.filter {
                    exceptions[$0].file == file && line.contains(exceptions[$0].code)
                }
                used.formUnion(passes)
                guard passes.isEmpty else { continue }
                violations.append(
                    Violation(
                        place: "\(file):\(index + 1)",
                        problem: "a name is compared as String, by Unicode equivalence",
                        remedy:
                            "use DocumentID or ExactText, or say in KeysCheck why it is harmless"
                    )
                )
            }
        }
        for (index, exception) in exceptions.enumerated() where !used.contains(index) {
            violations.append(
                Violation(
                    place: exception.file,
                    problem: "no line holds \"\(exception.code)\" any more",
                    remedy: "take the exception out of KeysCheck"
                )
            )
        }
        return violations
    }

    /// Sources of libraries and of the command; test tools use their own constants as keys.
    private var files: [String] {
        let command = "Tools/command/Sources/DivanCommand"
        return ["Packages", command, command + "Line"]
            .flatMap { tree.files(under: $0, suffix: ".swift") }
            .filter { file in
                (file.hasPrefix("Tools/") || file.contains("/Sources/"))
                    && !Self.passedOver.contains { file.hasPrefix($0) }
            }
    }

    private static let passedOver = ["Packages/DivanTestKit/", "Packages/CouchbaseLiteSwift/"]
    private static let publicAPI = "Packages/Divan/"
    private static let textKeys = ["[String:", "[String :", "Set<String>", "Dictionary<String"]

    private func offends(_ line: Substring, _ file: String) -> Bool {
        let code = line.code
        let isPublicAPI = file.hasPrefix(Self.publicAPI)
        // The official API accepts and returns `[String: Any]`; its guide explains what that merges.
        let read = isPublicAPI ? code.replacing("[String: Any]", with: "") : code
        if Self.textKeys.contains(where: { read.contains($0) }) { return true }
        return !isPublicAPI && read.contains("ocumentID: String")
    }
}

extension KeysCheck {
    /// What stays, and why.
    public static let standing: [Exception] =
        official + plainDictionaries + internalConstants + attributes

    private static let official: [Exception] = [
        Exception(
            "Packages/Divan/Sources/Divan/Replication/Replicator+Pending.swift",
            "-> Set<String>",
            because: "the official signature; pendingDocuments(collection:) is the alternative"
        ),
        Exception(
            "Packages/Divan/Sources/Divan/Values/Value+Any.swift",
            "[String: ",
            because: "made from the caller's dictionary, which has merged already"
        ),
        Exception(
            "Packages/Divan/Sources/Divan/Values/CallerTypes.swift",
            "[String: T]",
            because: "the caller's dictionary"
        ),
        Exception(
            "Packages/Divan/Sources/Divan/Values/CallerTypes.swift",
            "[String: Any?].self",
            because: "the caller's dictionary"
        ),
        Exception(
            "Packages/DivanAuth/Sources/DivanAuth/HostField.swift",
            "names: Set<String>",
            because: "host names in lower case, ASCII by the rules of DNS"
        ),
        Exception(
            "Tools/command/Sources/DivanCommand/Query/PropertyNames.swift",
            "counts: [String: Int]",
            because: "names for a hint, shown and not looked up"
        ),
        Exception(
            "Packages/DivanPlatform/Sources/DivanPlatform/ChildProcess.swift",
            "[String: String]",
            because: "variables of an environment, ASCII names"
        ),
        Exception(
            "Tools/command/Sources/DivanCommandLine/Terminal/Secret.swift",
            "[String: String]",
            because: "our own prompts, constants"
        ),
        Exception(
            "Packages/Divan/Sources/Divan/Listener/URLEndpointListener+Statistics.swift",
            "[String: UInt64]",
            because: "the names of our codecs, ASCII"
        ),
        Exception(
            "Tools/command/Sources/DivanCommand/Sync/ConflictChoice.swift",
            "_ documentID: String",
            because: "shown, not compared; the public API gives text"
        ),
        Exception(
            "Tools/command/Sources/DivanCommand/Blobs/MissingBlobs.swift",
            "as [String: Any]",
            because: "what the public API gives; only the blobs in it are taken"
        ),
    ]

    /// `PlainParser` creates the official API's dictionaries.
    private static let plainDictionaries: [Exception] = [
        ("PlainParser", "throws(JSONError) -> [String: Any]?"),
        ("PlainParser", "mutating func parseText()"), ("PlainParser", "value as? [String: Any]"),
        ("PlainParser", "return [String: Any]()"), ("PlainParser", "var members: [String: Any]"),
        ("PlainParser", "?? [String: Any](minimumCapacity"),
        ("PlainValues", ") -> [String: Any] {"),
        ("ObjectShapes", "let numbers: [String: Int]"),
    ].map { file, code in
        Exception(
            "Packages/DivanJSON/Sources/DivanJSON/\(file).swift",
            code,
            because: "what the official toDictionary() gives, which merges equivalent keys"
        )
    }

    private static let internalConstants: [Exception] = [
        Exception(
            "Packages/DivanStore/Sources/DivanStore/Engine/SQLite/SQLiteSession.swift",
            "statements: [String: StoreStatement]",
            because: "our own SQL, ASCII constants"
        ),
        Exception(
            "Packages/DivanAuth/Sources/DivanAuth/Logins/AddressLedger.swift",
            "entries: [String: Entry]",
            because: "numeric addresses as the kernel gives them"
        ),
        Exception(
            "Packages/DivanListener/Sources/DivanListener/ListenerStatistics.swift",
            "[String: UInt64]",
            because: "the names of our codecs, ASCII"
        ),
        Exception(
            "Packages/DivanListener/Sources/DivanListener/ListenerConfiguration.swift",
            "databases: [String: SharedDatabase]",
            because: "the owner's own names; an equivalent one in a URL leads to the same database"
        ),
        Exception(
            "Packages/DivanSimulation/Sources/DivanSimulation/SimulatedNetwork.swift",
            "listeners: [String: Listener]",
            because: "hosts of a simulation"
        ),
        Exception(
            "Packages/DivanSimulation/Sources/DivanSimulation/SimulatedNetwork.swift",
            "isolated: Set<String>",
            because: "hosts of a simulation"
        ),
        Exception(
            "Packages/DivanWebSocket/Sources/DivanWebSocket/WebSocketEndpoint.swift",
            "schemes: [String: Bool]",
            because: "URL schemes, ASCII constants on our side; no letter in them has another"
                + " spelling"
        ),
        Exception(
            "Tools/command/Sources/DivanCommandLine/Arguments/Arguments.swift",
            "values: [String: [String]]",
            because: "names of our options; what a person types is looked up there, never kept"
        ),
        Exception(
            "Tools/command/Sources/DivanCommand/Checkpoints/StoredCheckpoints.swift",
            "names: [String: Entry]",
            because: "checkpoint IDs that we derive: cp- and base64"
        ),
        Exception(
            "Tools/command/Sources/DivanCommand/Sync/SyncTally.swift",
            "collections: [String: Counts]",
            because: "names of collections, ASCII by the rules of CollectionPath"
        ),
        Exception(
            "Tools/command/Sources/DivanCommand/Logs/Journal.swift",
            "levels: [String: LogLevel]",
            because: "names of our log levels"
        ),
        Exception(
            "Tools/command/Sources/DivanCommand/Logs/LogCommand.swift",
            "domains: Set<String>",
            because: "names of log domains, shown only"
        ),
        Exception(
            "Tools/command/Sources/DivanCommandLine/Completion/BashCompletion.swift",
            "seen: Set<String>",
            because: "names of our verbs and options"
        ),
    ]

    private static let attributes: [Exception] =
        [
            "Packages/DivanDiscovery/Sources/DivanDiscovery/PeerTable.swift",
            "Packages/DivanDiscovery/Sources/DivanDiscovery/PeerAdvertisement.swift",
            "Packages/DivanDiscovery/Sources/DivanDiscovery/DiscoveredPeer.swift",
        ].map {
            Exception(
                $0,
                "[String: String]",
                because:
                    "keys of TXT records: ASCII by RFC 6763 §6.4, the first of equal ones counts"
            )
        }
        + [
            "Packages/Divan/Sources/Divan/Security/TLSIdentity.swift",
            "Packages/DivanTLS/Sources/DivanTLS/Certificates/CertificateTemplate.swift",
        ].map {
            Exception(
                $0,
                "[String: String]",
                because: "X.509 attribute names, constants of the API"
            )
        }
        + [
            "Packages/Divan/Sources/Divan/Replication/ReplicatorConfiguration.swift",
            "Packages/Divan/Sources/Divan/Replication/ClientCredentials.swift",
            "Packages/Divan/Sources/Divan/Replication/Authenticator.swift",
            "Tools/command/Sources/DivanCommand/Sync/ServerTrustOptions+Reading.swift",
        ].map {
            Exception($0, "[String: String]", because: "HTTP header names, ASCII tokens")
        }
        + [
            "Tools/command/Sources/DivanCommandLine/Arguments/Environment.swift",
            "Tools/command/Sources/DivanCommandLine/Terminal/Streams.swift",
        ].map {
            Exception($0, "[String: String]", because: "names of our variables, ASCII constants")
        }
}
