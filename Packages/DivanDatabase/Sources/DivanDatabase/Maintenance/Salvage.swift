internal import DivanJSON
public import DivanStore

/// The data recovered from a damaged database.
public struct Salvage: Sendable {
    /// Documents that are intact, including tombstones.
    public internal(set) var documentCount = 0
    /// One line for each item that is known to be lost, because no peer has it.
    public internal(set) var losses: [String] = []
    /// Whether the names of all collections could be read; unnamed collections were not requested from peers.
    public internal(set) var knowsCollections = true
    /// The indexes that the damaged database had, which can be created again.
    public internal(set) var indexes: [(collection: CollectionPath, index: StoredIndex)] = []
    /// Documents whose names are known but that could not be read.
    var left: [UnrecoveredDocument] = []
    /// Blobs that documents refer to and that could not be read.
    var lostBlobs: [BlobDigest] = []
    /// Documents whose names are unknown, too.
    var nameless: [UnidentifiedDocuments] = []
    /// The new location of the damaged database; empty while it has not been moved.
    public internal(set) var oldDirectory = ""

    /// Adds what neither the file nor a peer had, now that everything obtainable has arrived.
    mutating func noteLosses(in reader: StoreReader) throws(StoreError) {
        var unnamedCount = 0
        for document in left {
            guard let loss = try document.loss(in: reader) else { continue }
            if losses.count < DatabaseLimits.namedLossCount {
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
            losses.append("index \(index.name.text) of \(path): create it again")
        }
    }
}
