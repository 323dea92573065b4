import DivanCrypto
import DivanDatabase
import DivanJSON
import DivanRevisions

/// One line of a dump: the values that `Docs/formats/dump.md` describes.
enum DumpLine {
    /// The beginning of a section.
    case head(DumpHead)
    /// A remote, with the number by which documents refer to it.
    case remote(RemoteID, name: String)
    /// An existing collection, even if empty, with its indexes.
    case collection(CollectionPath, indexes: [DumpedIndex])
    /// A piece of a blob.
    case piece(BlobPiece)
    /// A blob that was left at a peer.
    case absent(BlobDigest)
    /// A document.
    case document(DumpedDocument)
    /// Documents that have not changed.
    case standing(UnchangedDocuments)
    /// The end of a section.
    case end(DumpEnd)
}

/// The beginning of a section.
struct DumpHead: Equatable {
    /// The database, by its UUID in hexadecimal.
    var database: String
    /// How it names revisions.
    var scheme: RevisionScheme
    /// Where the section begins in each collection; `nil` if it contains everything.
    var since: [CollectionPath: UInt64]?
    /// The migrations of the application that have run.
    var migrations: [String] = []
}

/// A piece of a blob; the pieces of one blob follow each other.
struct BlobPiece {
    var digest: BlobDigest
    /// Bytes of the whole blob.
    var byteCount: Int
    /// Where the piece begins in it.
    var offset: Int
    var bytes: [UInt8]
}

/// A document with all that is known of its revisions.
struct DumpedDocument {
    var documentID: DocumentID
    var collection: CollectionPath
    var sequence: UInt64
    /// Milliseconds since 1970; `nil` = never.
    var expiration: Int64?
    var revisions: [DumpedRevision]
}

/// The last line of a dump: what is needed to continue from it.
public struct DumpEnd: Equatable, Sendable {
    var database: String
    var scheme: RevisionScheme
    /// The last sequence of each collection.
    var sequences: [CollectionPath: UInt64]
    var documentCount: Int
    var blobCount: Int
    /// What each collection contains, as digests (`SequenceDigest`).
    var standing: [CollectionPath: String] = [:]
    /// Blobs that documents refer to and that are in no section so far; the next one includes those that
    /// are restored by then.
    var lacking: [BlobDigest] = []
    /// SHA-256 of all bytes of the section before this line, in hexadecimal; `nil` if it was
    /// removed.
    var digest: String?
}

// MARK: Writing

extension DumpLine {
    /// Passes the line on in pieces, without its end.
    func write(to sink: ([UInt8]) throws -> Void) throws {
        guard case .document(let document) = self else {
            return try sink(JSON.object(json).canonicalBytes(limits: ExchangeLimits.json))
        }
        // In canonical order, with the revisions before the sequence.
        try sink(
            JSON.object(json).canonicalBytes(limits: ExchangeLimits.json).dropLast()
                + Array(",\"revisions\":[".utf8)
        )
        for (index, revision) in document.revisions.enumerated() {
            if index > 0 { try sink([UInt8(ascii: ",")]) }
            try revision.write(to: sink)
        }
        try sink(Array("],\"sequence\":\(document.sequence)}".utf8))
    }

    /// The members; of a document only those before its revisions.
    private var json: JSONObject {
        switch self {
        case .head(let head):
            var object: JSONObject = [
                "dump": JSON(DumpMembers.format), "database": .string(head.database),
                "scheme": .string(head.scheme.rawValue),
            ]
            if let since = head.since { object["since"] = Self.json(since) }
            if !head.migrations.isEmpty {
                object["migrations"] = .array(head.migrations.map { .string($0) })
            }
            return object
        case .remote(let id, let name):
            return ["remote": JSON(id.rawValue), "name": .string(name)]
        case .collection(let path, let indexes):
            var object: JSONObject = ["collection": .string("\(path)")]
            if !indexes.isEmpty { object["indexes"] = .array(indexes.map(\.json)) }
            return object
        case .piece(let piece):
            return [
                "blob": .string("\(piece.digest)"), "length": JSON(piece.byteCount),
                "offset": JSON(piece.offset), "data": .string(Base64.encode(piece.bytes.span)),
            ]
        case .absent(let digest): return ["blob": .string("\(digest)"), "absent": true]
        case .document(let document):
            var object: JSONObject = [
                "doc": .string(document.documentID.text),
                "collection": .string("\(document.collection)"),
            ]
            if let time = document.expiration { object["expires"] = JSON(time) }
            return object
        case .standing(let standing): return standing.json
        case .end(let end):
            var object: JSONObject = [
                "end": JSON(DumpMembers.format), "database": .string(end.database),
                "scheme": .string(end.scheme.rawValue), "sequences": Self.json(end.sequences),
                "documents": JSON(end.documentCount), "blobs": JSON(end.blobCount),
            ]
            if !end.standing.isEmpty {
                object["standing"] = .object(
                    JSONObject(end.standing.map { (key: "\($0.key)", value: .string($0.value)) })
                )
            }
            if !end.lacking.isEmpty {
                object["lacks"] = .array(end.lacking.map { .string("\($0)") })
            }
            if let digest = end.digest { object["sha256"] = .string(digest) }
            return object
        }
    }

    private static func json(_ sequences: [CollectionPath: UInt64]) -> JSON {
        .object(JSONObject(sequences.map { (key: "\($0.key)", value: JSON($0.value)) }))
    }
}

// MARK: Reading

extension DumpLine {
    /// Reads a line.
    ///
    /// - Throws: `DumpDamage` for anything that is not a line of a dump.
    init(_ bytes: ArraySlice<UInt8>) throws(DumpDamage) {
        let read: JSONMembers?
        do throws(JSONError) {
            read = try JSONMembers(parsing: bytes, limits: ExchangeLimits.json)
        } catch {
            throw DumpDamage("\(error)", isOfText: true)
        }
        guard let line = read else { throw DumpDamage("not a JSON object") }
        if line.tree == nil, line.contains("doc"), !line.contains("dump") {
            self = .document(try Self.document(of: line))
            return
        }
        guard
            let object = line.tree
                ?? (try? JSON(parsing: bytes, limits: ExchangeLimits.json))?.object
        else { throw DumpDamage("not a JSON object") }
        let members = DumpMembers(object)
        if object.contains("dump") {
            self = .head(try Self.head(members))
        } else if object.contains("doc") {
            self = .document(try Self.document(members))
        } else if object.contains("blob") {
            self = try Self.blob(members)
        } else if object.contains("remote") {
            let number = try members.number("remote", in: 1...ExchangeLimits.remoteCount)
            let id = RemoteID(rawValue: UInt32(clamping: number))
            self = .remote(id, name: try members.text("name"))
        } else if object.contains("end") {
            self = .end(try Self.end(members))
        } else if object.contains("unchanged") {
            self = .standing(try UnchangedDocuments(members))
        } else if object.contains("collection") {
            let indexes = try DumpedIndex.all(in: members)
            self = .collection(try members.collection(), indexes: indexes)
        } else {
            throw DumpDamage("not a line of a dump: no dump, doc, blob, remote or end")
        }
    }

    private static func head(_ members: DumpMembers) throws(DumpDamage) -> DumpHead {
        try members.checkFormat("dump")
        return DumpHead(
            database: try members.text("database"),
            scheme: try members.scheme(),
            since: members.object.contains("since") ? try members.sequences("since") : nil,
            migrations: try members.names("migrations")
        )
    }

    private static func end(_ members: DumpMembers) throws(DumpDamage) -> DumpEnd {
        try members.checkFormat("end")
        return DumpEnd(
            database: try members.text("database"),
            scheme: try members.scheme(),
            sequences: try members.sequences("sequences"),
            documentCount: Int(try members.number("documents", in: 0...Int64.max)),
            blobCount: Int(try members.number("blobs", in: 0...Int64.max)),
            standing: try members.digests("standing"),
            lacking: try members.blobs("lacks"),
            digest: members.object.contains("sha256") ? try members.text("sha256") : nil
        )
    }

    private static func blob(_ members: DumpMembers) throws(DumpDamage) -> DumpLine {
        guard let digest = BlobDigest(try members.text("blob")) else {
            throw DumpDamage("\"blob\" is not a digest")
        }
        if members.object["absent"]?.bool == true { return .absent(digest) }
        guard let bytes = Base64.decode(try members.text("data")) else {
            throw DumpDamage("\"data\" is not valid base64")
        }
        let byteCount = try members.number("length", in: 0...Int64(Int32.max) * 1_024)
        let offset = try members.number("offset", in: 0...byteCount)
        guard Int64(bytes.count) <= byteCount - offset, !bytes.isEmpty || byteCount == 0 else {
            throw DumpDamage("a piece of a blob exceeds its length")
        }
        return .piece(
            BlobPiece(
                digest: digest,
                byteCount: Int(byteCount),
                offset: Int(offset),
                bytes: bytes
            )
        )
    }

    private static func document(_ members: DumpMembers) throws(DumpDamage) -> DumpedDocument {
        guard let values = members.object["revisions"]?.array else { throw noRevisions }
        var revisions: [DumpedRevision] = []
        for value in values {
            guard let object = value.object else { throw DumpDamage("a revision is not an object") }
            revisions.append(try DumpedRevision(object))
        }
        return try document(members, revisions)
    }

    /// Reads a long line, whose bodies stay text.
    private static func document(of line: JSONMembers) throws(DumpDamage) -> DumpedDocument {
        guard let text = line.text(of: "revisions") else { throw noRevisions }
        var reader = JSONReader(text, limits: ExchangeLimits.json)
        var revisions: [DumpedRevision] = []
        do {
            try reader.beginArray()
            while try reader.nextElement() {
                revisions.append(try DumpedRevision(try reader.readRaw()))
            }
        } catch let damage as DumpDamage {
            throw damage
        } catch {
            throw noRevisions
        }
        var object = JSONObject()
        for key in ["doc", "collection", "sequence", "expires"] { object[key] = line[key] }
        return try document(DumpMembers(object), revisions)
    }

    private static var noRevisions: DumpDamage {
        DumpDamage("\"revisions\" is not a list of revisions")
    }

    private static func document(
        _ members: DumpMembers,
        _ revisions: [DumpedRevision]
    ) throws(DumpDamage) -> DumpedDocument {
        // Peers send IDs that cannot be created here, and a dump contains them.
        guard let documentID = try? DocumentID(received: try members.text("doc")) else {
            throw DumpDamage("\"doc\" is not a document ID")
        }
        guard (1...ExchangeLimits.revisionCount).contains(revisions.count) else {
            throw noRevisions
        }
        let hasExpiration = members.object.contains("expires")
        return DumpedDocument(
            documentID: documentID,
            collection: try members.collection(),
            sequence: try members.sequence("sequence"),
            expiration: hasExpiration ? try members.number("expires", in: 1...Int64.max) : nil,
            revisions: revisions
        )
    }
}
