@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON
internal import DivanRevisions

// What the public calls that save have in common.
extension DocumentCollection {
    /// How often a save is retried before the document counts as busy.
    private static let attemptLimit = 100

    /// Stores a body.
    ///
    /// - Throws: `conflict` if another revision is current than `parent`.
    func store(
        _ body: WrittenBody,
        _ id: String,
        over parent: ExpectedParent
    ) throws -> StoredDocument {
        switch try outcome(of: body, id, over: parent) {
        case .saved(let stored): return stored
        case .conflict where parent == .revision(nil): throw existing(id)
        case .conflict: throw conflict(id)
        }
    }

    /// Stores a body, unless another revision is current than `parent`.
    func outcome(
        of body: WrittenBody,
        _ id: String,
        over parent: ExpectedParent
    ) throws -> SaveOutcome {
        try DivanError.converting(place: place(of: id)) {
            let store = try official.openedStore()
            return try body.storing(try StoredID(checking: id), over: parent, in: store) {
                try store.save($0, in: path, numbered: official.collectionID)
            }
        }
    }

    /// Saves a model, after adding what the stored document has beyond it.
    func save<Model: Codable>(
        _ model: Model,
        id: String,
        isIdentified: Bool
    ) throws -> Revision {
        // Most models are new: the first attempt needs no read.
        var current: StoredDocument?
        var output = try encode(model, id: id, isIdentified: isIdentified)
        for attempt in 0..<Self.attemptLimit {
            if attempt > 1 { output = try encode(model, id: id, isIdentified: isIdentified) }
            if let current { try keepUnknown(of: current, in: output, Model.self, nil) }
            let body = try WrittenBody(output.members, output.contents, place: place(of: id))
            let parent = ExpectedParent.revision(current?.revisionID)
            switch try outcome(of: body, id, over: parent) {
            case .saved(let stored): return Revision(stored.revisionID, sequence: stored.sequence)
            case .conflict(let other): current = other.flatMap { $0.isTombstone ? nil : $0 }
            }
        }
        throw conflict(id)
    }

    /// Saves a model as the successor of a revision, after adding what that revision has beyond it.
    func save<Model: Codable>(
        _ model: Model,
        id: String,
        isIdentified: Bool,
        over revision: Revision?
    ) throws -> Revision {
        let output = try encode(model, id: id, isIdentified: isIdentified)
        if let revision {
            guard let current = try stored(id), current.revisionID == revision.revisionID else {
                throw conflict(id)
            }
            try keepUnknown(of: current, in: output, Model.self, nil)
        }
        let body = try WrittenBody(output.members, output.contents, place: place(of: id))
        let saved = try store(body, id, over: .revision(revision?.revisionID))
        return Revision(saved.revisionID, sequence: saved.sequence)
    }

    func encode<Model: Encodable>(
        _ model: Model,
        id: String,
        isIdentified: Bool
    ) throws -> ModelWriter.Output {
        let output = try ModelWriter.write(model, place: place(of: id))
        if isIdentified { output.object.remove("id") }
        return output
    }

    /// Adds the members that the type of a model does not know.
    ///
    /// A key that the model did not write now may still be one that it reads, so the stored document is decoded, unless
    /// `read` says what the model read.
    func keepUnknown<Model: Decodable>(
        of stored: StoredDocument,
        in output: ModelWriter.Output,
        _ type: Model.Type,
        _ read: ReadKeys?
    ) throws {
        guard JSONText.anyKey(in: stored.body, where: output.object.mayNotKnow) else { return }
        let members = try DivanError.converting(place: place(of: stored.documentID.text)) {
            try JSON(parsing: stored.body, limits: StorageLimits.bodyText).object ?? [:]
        }
        if let read { return output.object.keepUnknown(of: members, read) }
        output.object.keepUnknown(of: members) { _ = try decode(type, stored, $0) }
    }

    /// Calls `attempt` with the stored document until it returns a result.
    func retrying<Output>(
        _ id: String,
        _ attempt: (StoredDocument?) throws -> Output?
    ) throws -> Output {
        for _ in 0..<Self.attemptLimit {
            if let output = try attempt(try stored(id)) { return output }
        }
        throw conflict(id)
    }

    func notFound(_ id: String) -> DivanError {
        DivanError(
            .notFound,
            place: place,
            problem: "document \(id.debugDescription) does not exist",
            remedy: "save it first, or pass a default"
        )
    }

    private func existing(_ id: String) -> DivanError {
        DivanError(
            .conflict,
            place: place,
            problem: "document \(id.debugDescription) already exists",
            remedy: "choose another ID, or change the document with update"
        )
    }

    func conflict(_ id: String) -> DivanError {
        DivanError(
            .conflict,
            place: place,
            problem: "document \(id.debugDescription) was changed in the meantime",
            remedy: "read it again, and apply your change again"
        )
    }
}
