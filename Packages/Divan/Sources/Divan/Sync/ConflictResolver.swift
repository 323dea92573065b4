@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanRevisions

/// A document that was changed in this database and on the peer.
public struct Conflict: Sendable {
    /// The document's ID.
    public let documentID: String
    /// The name of its collection.
    public let collection: String
    /// The document in this database; `nil` if it was deleted here.
    public let local: Document?
    /// The document of the peer; `nil` if it was deleted there.
    public let remote: Document?
    /// The document before both changes; `nil` if it is no longer stored.
    public let base: Document?
    /// The peer, in a mesh; `nil` otherwise.
    public let peer: Mesh.PeerID?

    /// `nil` if a test created it.
    let official: CouchbaseLiteSwift.Conflict?

    /// Creates a conflict, to test a resolver.
    ///
    /// ```swift
    /// let conflict = Conflict(documentID: "1", local: mine, remote: theirs)
    /// #expect(try await KeepLonger().resolve(conflict) == mine)
    /// ```
    ///
    /// Documents that were never saved count as first revisions.
    ///
    /// - Parameters:
    ///   - documentID: The document's ID.
    ///   - collection: The name of its collection.
    ///   - local: The document in this database; `nil` if it was deleted here.
    ///   - remote: The document of the peer; `nil` if it was deleted there.
    ///   - base: The document before both changes; `nil` if it is no longer stored.
    ///   - peer: The peer, in a mesh.
    public init(
        documentID: String,
        collection: String = "_default",
        local: Document?,
        remote: Document?,
        base: Document? = nil,
        peer: Mesh.PeerID? = nil
    ) {
        self.documentID = documentID
        self.collection = collection
        (self.local, self.remote, self.base) = (local, remote, base)
        self.peer = peer
        official = nil
    }

    init(_ conflict: CouchbaseLiteSwift.Conflict, in collection: String, peer: Mesh.PeerID?) {
        documentID = conflict.documentID
        self.collection = collection
        local = conflict.localDocument.map { Document(replicated: $0) }
        remote = conflict.remoteDocument.map { Document(replicated: $0) }
        base = conflict.baseDocument.map { Document(replicated: $0) }
        self.peer = peer
        official = conflict
    }
}

/// Resolves the conflicts of a sync or a mesh; use one of the bundled rules, such as `.mergeFields`, or your own type.
///
/// ```swift
/// struct KeepLonger: ConflictResolver {
///     func resolve(_ conflict: Conflict) async throws -> Document? {
///         guard let local = conflict.local, let remote = conflict.remote else { return nil }
///         return (local.text?.string ?? "").count > (remote.text?.string ?? "").count ? local : remote
///     }
/// }
/// ```
public protocol ConflictResolver: Sendable {
    /// Returns the local document, the remote document, or a changed or new document; `nil` deletes the document.
    ///
    /// Called outside any transaction, for several documents at the same time. The sync goes on with other documents
    /// meanwhile, but a run ends, and its database closes, only after the method returns; when the run is stopped, the
    /// task of the method is cancelled. It is called again if the local document changes in the meantime. The same
    /// conflict must have the same result on every peer; otherwise, peers overwrite each other forever. It must not
    /// wait for a sync or a listener, or close the database.
    ///
    /// - Throws: Anything: the conflict stays open until the next run, and the document is reported as failed.
    func resolve(_ conflict: Conflict) async throws -> Document?
}

/// The bundled rules for conflicts.
public struct ConflictRule: ConflictResolver {
    private enum Kind: Sendable {
        case bundled(BundledConflictResolver)
        case leaveOpen
        case latest(property: String)
        case custom(@Sendable (Conflict) async throws -> Document?)
    }

    private let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    fileprivate init(_ bundled: BundledConflictResolver) {
        kind = .bundled(bundled)
    }

    fileprivate static let open = ConflictRule(Kind.leaveOpen)

    fileprivate static func latest(_ property: String) -> ConflictRule {
        ConflictRule(.latest(property: property))
    }

    fileprivate static func closure(
        _ resolve: @escaping @Sendable (Conflict) async throws -> Document?
    ) -> ConflictRule {
        ConflictRule(.custom(resolve))
    }

    /// Applies the rule; for resolvers that delegate some conflicts.
    ///
    /// - Throws: What the closure of a custom rule throws.
    public func resolve(_ conflict: Conflict) async throws -> Document? {
        switch kind {
        case .bundled(let rule): return try rule.decide(conflict)
        case .leaveOpen:
            throw DivanError(
                .conflict,
                place: "document \(conflict.documentID)",
                problem: "its conflict is left open",
                remedy: "resolve it with another rule"
            )
        case .latest(let property):
            guard let local = conflict.local, let remote = conflict.remote,
                let isLocalLater = local.isLater(than: remote, by: property)
            else { return try BundledConflictResolver.default.decide(conflict) }
            return isLocalLater ? local : remote
        case .custom(let resolve): return try await resolve(conflict)
        }
    }

    /// The rule that the engine applies without documents, if this is one.
    var engineRule: BundledConflictResolver? {
        switch kind {
        case .bundled(let rule): rule
        case .leaveOpen: .leaveOpen
        default: nil
        }
    }
}

extension BundledConflictResolver {
    fileprivate func decide(_ conflict: Conflict) throws -> Document? {
        if let official = conflict.official {
            return resolve(conflict: official).map { Document(replicated: $0) }
        }
        let decision = try decide(
            documentID: conflict.documentID,
            local: Self.side(conflict.local),
            remote: Self.side(conflict.remote),
            base: Self.side(conflict.base).body
        )
        switch decision {
        case .local: return conflict.local
        case .remote: return conflict.remote
        case .deletion: return nil
        case .merged(let body):
            let text = String(decoding: body, as: UTF8.self)
            return try Document(id: conflict.documentID, json: text)
        }
    }

    private static func side(_ document: Document?) -> Side {
        (document?.revision?.revisionID, document.map { Array($0.json.utf8) })
    }
}

extension Document {
    /// Whether a property has a greater number or text than in another document; `nil` if that is not comparable.
    fileprivate func isLater(than other: Document, by property: String) -> Bool? {
        if let mine = self[property]?.double, let theirs = other[property]?.double {
            return mine == theirs ? nil : mine > theirs
        }
        guard let mine = self[property]?.string, let theirs = other[property]?.string,
            !mine.utf8.elementsEqual(theirs.utf8)
        else { return nil }
        return theirs.utf8.lexicographicallyPrecedes(mine.utf8)
    }
}

extension ConflictResolver where Self == ConflictRule {
    /// A deletion wins, then the longer history, then the greater revision ID; all peers choose the same winner.
    ///
    /// With version vectors, a document that was restored after a deletion wins, then a deletion, then the later
    /// revision.
    public static var standard: Self { ConflictRule(.default) }

    /// The document in this database wins, even if it was deleted; use it on only one of two peers.
    public static var localWins: Self { ConflictRule(.localWins) }

    /// The document of the peer wins, even if it was deleted.
    public static var remoteWins: Self { ConflictRule(.remoteWins) }

    /// Merges both documents field by field, including nested objects.
    ///
    /// A field that only one side changed since the common ancestor is taken from that side. If both sides changed it,
    /// the winner of ``standard`` is used, except that a change wins over a removal. Arrays and blobs are not merged. A
    /// deletion wins as in ``standard``.
    public static var mergeFields: Self { ConflictRule(.fieldMerge) }

    /// Leaves conflicts open, and reports them as failed documents.
    public static var leaveOpen: Self { .open }

    /// The document with the later value of a property wins, such as a date of the last change.
    ///
    /// Compares numbers, or texts by their bytes, as dates in ISO 8601 require. Without a property to compare, with
    /// equal ones, and for deletions, ``standard`` decides.
    public static func latest(by property: String) -> Self { .latest(property) }

    /// A closure decides; the rules of ``ConflictResolver/resolve(_:)`` apply.
    public static func custom(
        _ resolve: @escaping @Sendable (Conflict) async throws -> Document?
    ) -> Self {
        .closure(resolve)
    }
}

// MARK: - For the engine

extension ConflictResolver {
    /// The resolver of the engine.
    func official(
        for collection: DocumentCollection,
        bridge: CallbackBridge
    ) -> any ConflictResolverProtocol {
        if let rule = (self as? ConflictRule)?.engineRule { return rule }
        return OfficialResolver(resolver: self, collection: collection, bridge: bridge)
    }
}

/// Adapts a resolver to the engine, which waits for its answer on a queue for conflicts.
struct OfficialResolver: ThrowingConflictResolver {
    let resolver: any ConflictResolver
    let collection: DocumentCollection
    let bridge: CallbackBridge

    func attempt<Output>(
        _ official: CouchbaseLiteSwift.Conflict,
        with peer: CouchbaseLiteSwift.PeerID?,
        _ use: (CouchbaseLiteSwift.Document?) throws -> Output
    ) throws -> Output {
        let conflict = Conflict(
            official,
            in: collection.description,
            peer: peer.map { Mesh.PeerID($0) }
        )
        let place = collection.place(of: conflict.documentID)
        let answer = try bridge.wait(at: nil, place: place) { [resolver] in
            try await resolver.resolve(conflict)
        }
        guard let answer else { return try use(nil) }
        if let local = conflict.local, answer == local { return try use(official.localDocument) }
        if let remote = conflict.remote, answer == remote {
            return try use(official.remoteDocument)
        }
        let id = DivanRevisions.DocumentID(unchecked: conflict.documentID)
        return try answer.written().storing(id, over: .current, in: collection.database.store()) {
            let text = String(decoding: $0.body, as: UTF8.self)
            return try use(MutableDocument(id: conflict.documentID, json: text))
        }
    }
}
