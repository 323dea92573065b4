internal import DivanJSON

/// What could still be read of a damaged database.
public struct Salvage: Sendable {
    /// Documents that are intact, including tombstones.
    public internal(set) var documentCount = 0
    /// One line for each thing that the new database is known to lack and that no peer has.
    public internal(set) var losses: [String] = []
    /// Whether the names of all its collections could be read; no peer was asked for the contents of others.
    public internal(set) var knowsCollections = true
    /// The indexes that the damaged database had; whoever completes the new one may create them.
    public internal(set) var indexes: [(collection: CollectionPath, index: StoredIndex)] = []
    /// Documents whose names are known but that could not be read.
    var left: [LeftDocument] = []
    /// Blobs that documents refer to and that could not be read.
    var lostBlobs: [BlobDigest] = []
    /// Documents whose names are unknown, too.
    var nameless: [NamelessDocuments] = []
    /// Where the damaged database is now; empty while it is in its place.
    public internal(set) var oldDirectory = ""

    /// Adds what neither the file nor a peer had, now that everything obtainable has arrived.
    mutating func noteLosses(in reader: StoreReader) throws(StoreError) {
        var unnamedCount = 0
        for document in left {
            guard let loss = try document.loss(in: reader) else { continue }
            if losses.count < StoreLimits.namedLossCount {
                losses.append(loss)
            } else {
                unnamedCount += 1
            }
        }
        if unnamedCount > 0 { losses.append("\(unnamedCount) more documents") }
        for documents in nameless {
            if let loss = try documents.loss(in: reader) { losses.append(loss) }
        }
        for (path, index) in indexes
        where try !reader.indexes(in: path).contains(where: { $0.name == index.name }) {
            losses.append("index \(index.name.text) of \(path): make it again")
        }
    }
}
