/// What ``Database/importing(fromPath:toDatabase:withConfig:keepingIdentity:)`` imported, and what it could not.
///
/// An addition to the official API.
public struct DatabaseImport: Sendable, Equatable {
    /// Documents in the new database, including tombstones.
    public internal(set) var documentCount = 0
    /// Tombstones among the documents.
    public internal(set) var tombstoneCount = 0
    /// Documents with an unresolved conflict, which is kept.
    public internal(set) var conflictCount = 0
    /// Documents that had expired, and were left out.
    public internal(set) var expiredCount = 0
    /// Blobs that documents name and that were imported.
    public internal(set) var blobCount = 0
    /// Digests of blobs that documents name and whose file is missing or has the wrong content.
    public internal(set) var missingBlobs: [String] = []
    /// A line for each damaged record, a thousand at most; before them one for the file, if it has damaged pages.
    public internal(set) var damages: [String] = []
    /// How many records are damaged, and one more if the file has damaged pages; those that only lost their history
    /// count in `documentCount` too.
    public internal(set) var damageCount = 0
    /// Documents that are not there, because their records are damaged.
    ///
    /// If there is one, the next replication with each peer compares everything: with a checkpoint, a peer
    /// would never again offer what is lost here.
    public internal(set) var lostCount = 0
    /// The names of the collections.
    public internal(set) var collections: [String] = []
    /// The addresses of the remotes with which replications continue where they ended; none if a document is lost
    /// or the file has damaged pages.
    public internal(set) var remotes: [String] = []
    /// Checkpoints of the database's own replications and of its peers.
    public internal(set) var checkpointCount = 0
}
