/// What ``Database/importing(fromPath:toDatabase:withConfig:keepingIdentity:)`` took over, and what it
/// could not.
///
/// An addition to the official API.
public struct DatabaseImport: Sendable, Equatable {
    /// Documents that are there now, tombstones included.
    public internal(set) var documentCount = 0
    /// Tombstones among them.
    public internal(set) var tombstoneCount = 0
    /// Documents with a conflict that nobody has resolved yet; it is there as before.
    public internal(set) var conflictCount = 0
    /// Documents that had expired, and were left out.
    public internal(set) var expiredCount = 0
    /// Blobs that documents name and that are there now.
    public internal(set) var blobCount = 0
    /// Digests of blobs that documents name and whose file is missing or has another content.
    public internal(set) var missingBlobs: [String] = []
    /// A line for each record that is damaged, a thousand at most.
    public internal(set) var damages: [String] = []
    /// How many records are damaged; those whose past alone is lost are in `documentCount`.
    public internal(set) var damageCount = 0
    /// Documents that are not there, because their records are damaged.
    ///
    /// If there is one, the next replication with each peer compares everything: with a checkpoint, a peer
    /// would never again offer what is lost here.
    public internal(set) var lostCount = 0
    /// The names of the collections.
    public internal(set) var collections: [String] = []
    /// The addresses of the remotes with which replications go on where they were; none where a document
    /// is lost.
    public internal(set) var remotes: [String] = []
    /// Checkpoints of the database's own replications, and of peers.
    public internal(set) var checkpointCount = 0
}
