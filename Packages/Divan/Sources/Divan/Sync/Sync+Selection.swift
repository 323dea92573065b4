@_spi(Modern) internal import CouchbaseLiteSwift
public import Foundation

extension Sync {
    /// A collection to sync, and which of its documents.
    ///
    /// ```swift
    /// Sync(db, with: url, collections: [
    ///     .init(notes, push: .where { $0.isDraft != true }),
    ///     .init(orders, channels: ["rome"], resolver: .mergeFields),
    /// ])
    /// ```
    public struct Selection: Sendable {
        /// The collection; the peer needs one with the same name.
        public var collection: DocumentCollection
        /// Channels of Sync Gateway to pull from; empty means all that the user can access.
        public var channels: [String]
        /// The documents to sync in both directions; empty means all.
        public var documentIDs: [String]
        /// Selects the documents to send; `nil` sends all.
        public var push: Filter?
        /// Selects the received documents to store; `nil` stores all.
        public var pull: Filter?
        /// A condition in SQL++ for the documents that the other peers of a ``Mesh`` send, such as `store = 'rome'`; `nil`
        /// means all.
        ///
        /// It can use the body and `META().id`, and has at most 1 KiB, all conditions together 4 KiB. Deletions are always
        /// sent. It protects nothing: `push` of the others decides which documents this peer can get. A document that no
        /// longer meets the condition may stay as it is.
        public var subscription: String?
        /// Resolves the conflicts of this collection; `nil` means the resolver of the sync.
        public var resolver: (any ConflictResolver)?

        /// Selects documents of a collection; by default all.
        public init(
            _ collection: DocumentCollection,
            channels: [String] = [],
            documentIDs: [String] = [],
            push: Filter? = nil,
            pull: Filter? = nil,
            subscription: String? = nil,
            resolver: (any ConflictResolver)? = nil
        ) {
            self.collection = collection
            self.channels = channels
            self.documentIDs = documentIDs
            self.push = push
            self.pull = pull
            self.subscription = subscription
            self.resolver = resolver
        }
    }

    /// Selects documents to send, or received documents to store.
    ///
    /// Deletions, and documents that the user can no longer read, always pass, because they must reach every peer that
    /// has the document.
    public struct Filter: Sendable {
        enum Test: Sendable {
            case condition(String, [String: DocumentValue])
            /// The filter of a predicate; an error if a query cannot use it.
            case predicate(Swift.Result<ReplicationFilter, any Error>)
            case immediate(@Sendable (Document) -> Bool)
            case asynchronous(@Sendable (Document) async -> Bool)
        }

        let test: Test
        /// Identifies the filter.
        ///
        /// Documents that a filter rejects are not checked again until they change. With another name, all documents
        /// are compared again.
        public var name: String?

        /// Selects the documents that meet a condition in SQL++, such as `owner = $user`.
        ///
        /// The condition is the filter's name. An invalid one ends a run with ``DivanError/Code/invalidQuery``.
        public static func `where`(
            _ condition: String,
            _ parameters: [String: DocumentValue] = [:]
        ) -> Filter {
            let values = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return Filter(
                test: .condition(condition, parameters),
                name: ([condition] + values).joined(separator: "; ")
            )
        }

        /// Selects the documents of a type that meet a predicate, as in `documents(of:where:orderBy:limit:)`.
        ///
        /// ```swift
        /// let own = #Predicate<Inspection> { $0.inspector == user }
        /// Sync.Selection(inspections, push: .where(own))
        /// ```
        ///
        /// The predicate is the filter's name. One that a query cannot use ends a run with
        /// ``DivanError/Code/invalidArgument``.
        public static func `where`<Model: Decodable>(_ predicate: Predicate<Model>) -> Filter {
            let condition = OfficialCondition<Model>(predicate, idKey: Model.idKey)
            return Filter(
                test: .predicate(
                    Swift.Result { try OfficialCollection.filter(where: condition) }
                ),
                name: condition.text
            )
        }

        /// Selects the documents for which a closure returns true.
        ///
        /// Called on threads of the sync, several at a time: it must return quickly.
        public static func `where`(
            name: String? = nil,
            _ isIncluded: @escaping @Sendable (Document) -> Bool
        ) -> Filter {
            Filter(test: .immediate(isIncluded), name: name)
        }

        /// Selects the documents for which an asynchronous closure returns true.
        ///
        /// The connection waits for each answer, and other syncs may wait with it. After 15 seconds, the closure is
        /// cancelled, and the document is rejected with a warning in the log. The closure must not wait for a sync or
        /// a listener.
        public static func `where`(
            name: String? = nil,
            _ isIncluded: @escaping @Sendable (Document) async -> Bool
        ) -> Filter {
            Filter(test: .asynchronous(isIncluded), name: name)
        }
    }
}

extension Sync.Filter {
    /// The filter of the engine.
    ///
    /// - Throws: `invalidQuery` for a condition.
    func official(_ bridge: CallbackBridge) throws -> ReplicationFilter {
        switch test {
        case .condition(let text, let parameters):
            return try OfficialCollection.filter(
                where: text,
                parameters: Parameters(parameters.mapValues(\.json))
            )
        case .predicate(let filter): return try filter.get()
        case .immediate(let isIncluded):
            return { document, flags in
                flags.alwaysPass || isIncluded(Document(replicated: document))
            }
        case .asynchronous(let isIncluded):
            return { document, flags in
                flags.alwaysPass
                    || bridge.passes(document.id) { [document = Document(replicated: document)] in
                        await isIncluded(document)
                    }
            }
        }
    }
}

extension DocumentFlags {
    fileprivate var alwaysPass: Bool { contains(.deleted) || contains(.accessRemoved) }
}

extension CallbackBridge {
    /// The answer of a filter; false with a warning if there is none in time.
    func passes(_ id: String, _ body: @escaping @Sendable () async -> Bool) -> Bool {
        do {
            return try wait(place: "filter, document \(id)", body)
        } catch {
            CouchbaseLiteSwift.Log.log(
                domain: .replicator,
                level: .warning,
                message: "\(error)"
            )
            return false
        }
    }
}

extension Sync.Selection {
    /// The configuration of the engine.
    func configuration(
        standard: any ConflictResolver,
        bridge: CallbackBridge
    ) throws -> CollectionConfiguration {
        var configuration = CollectionConfiguration(collection: collection.official)
        configuration.channels = channels.isEmpty ? nil : channels
        configuration.documentIDs = documentIDs.isEmpty ? nil : documentIDs
        configuration.pushFilter = try push?.official(bridge)
        configuration.pullFilter = try pull?.official(bridge)
        if push?.name != nil || pull?.name != nil {
            configuration.filterName = "push: \(push?.name ?? "") pull: \(pull?.name ?? "")"
        }
        configuration.conflictResolver = (resolver ?? standard).official(
            for: collection,
            bridge: bridge
        )
        return configuration
    }
}
