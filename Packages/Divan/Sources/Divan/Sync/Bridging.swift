@_spi(Modern) internal import CouchbaseLiteSwift

// What the sync half needs to pass values to the compatible API.

extension Document {
    /// A document as a replicator passes it to a filter or a resolver.
    init(replicated document: CouchbaseLiteSwift.Document) {
        let revision = document.storedRevision
        self.init(
            id: document.id,
            revision: revision.map { Revision($0, sequence: document.sequence) },
            text: document.storedBody,
            in: document.collection?.database
        )
    }
}

extension Database {
    /// Checks the collections of a listener, a sync or a mesh of this database.
    ///
    /// - Throws: `invalidArgument` if there are none, or one belongs to another database or occurs
    ///   twice.
    func requireOwn(_ collections: [DocumentCollection], place: String) throws(DivanError) {
        guard !collections.isEmpty else {
            throw DivanError(
                .invalidArgument,
                place: place,
                problem: "there are no collections to sync",
                remedy: "create a collection, or pass one"
            )
        }
        for collection in collections where collection.database.official !== official {
            throw DivanError(
                .invalidArgument,
                place: place,
                problem: "collection \(collection.name) belongs to another database",
                remedy: "pass collections of database \(name)"
            )
        }
        if let twice = collections.first(where: { one in collections.count { $0 == one } > 1 }) {
            throw DivanError(
                .invalidArgument,
                place: place,
                problem: "collection \(twice.name) is selected twice",
                remedy: "pass it once; one selection takes all its channels, documents and filters"
            )
        }
    }
}

extension DivanError {
    /// Converts an error of one document that was pushed or pulled.
    ///
    /// Its place is the document, whatever the error names.
    init(_ error: any Error, of document: String, in collection: String, isPush: Bool) {
        let converted = DivanError(error)
        var (problem, remedy) = (converted.problem, converted.remedy)
        // The text that all peers have in common for the filter of the receiving side.
        if problem == "rejected by validation function" {
            problem = isPush ? "the peer refused it" : "the pull filter refused it"
            remedy =
                isPush
                ? "check the rights of the user at the peer"
                : "change the filter if the document is to be stored"
        }
        self.init(
            converted.code,
            place: "collection \(collection), document \(document)",
            problem: problem,
            remedy: remedy,
            underlying: converted.underlying,
            canRetry: converted.canRetry
        )
    }
}

extension Background {
    /// Runs a call that may block, with a place for its errors.
    static func placing<Output: Sendable>(
        _ place: String,
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await reading { try DivanError.converting(place: place, body) }
    }
}
