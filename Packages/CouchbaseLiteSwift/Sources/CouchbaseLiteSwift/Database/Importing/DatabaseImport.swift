/// What ``Database/importing(fromPath:toDatabase:withConfig:keepingIdentity:)`` imported and could not import.
///
/// An addition to the official API.
public struct DatabaseImport: Sendable, Equatable {
    /// Documents in the new database, including tombstones.
    public internal(set) var documentCount = 0
    /// Tombstones among the documents.
    public internal(set) var tombstoneCount = 0
    /// Documents with an unresolved conflict, which is kept.
    public internal(set) var conflictCount = 0
    /// Expired documents, which were not imported.
    public internal(set) var expiredCount = 0
    /// Imported blobs that documents reference.
    public internal(set) var blobCount = 0
    /// Digests of referenced blobs whose file is missing or damaged.
    public internal(set) var missingBlobs: [String] = []
    /// A line for each damaged record, at most 1,000; the first line is for the file if it has damaged pages.
    public internal(set) var damages: [String] = []
    /// Number of damaged records, plus one if the file has damaged pages.
    ///
    /// Documents that only lost their history also count in `documentCount`.
    public internal(set) var damageCount = 0
    /// Documents that were not imported, because their records are damaged.
    ///
    /// If there are any, the next replication with each peer compares all documents, so that the peers send the lost
    /// ones.
    public internal(set) var lostCount = 0
    /// The names of the collections.
    public internal(set) var collections: [String] = []
    /// The URLs of the remotes whose replications continue where they ended; none if a document is lost or the file has
    /// damaged pages.
    public internal(set) var remotes: [String] = []
    /// Checkpoints of the database's own replications and of its peers.
    public internal(set) var checkpointCount = 0
}
