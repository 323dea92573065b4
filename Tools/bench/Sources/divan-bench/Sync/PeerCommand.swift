import CouchbaseLiteSwift
import DivanDatabase

/// A command of the bench to one of the two syncing processes; a line of JSON.
enum PeerCommand: Codable {
    /// Creates a database of `count` documents, whose revisions use this scheme.
    case fill(database: String, shape: DocumentShape, count: Int, scheme: Scheme = .trees)
    /// Creates an index on each of these properties.
    case index(database: String, properties: [String])
    /// Stops listening, and deletes a database: the next one reuses its pages, which the host has allocated.
    case drop(database: String)
    /// Stores a document with a blob of random bytes.
    case attach(database: String, byteCount: Int)
    /// Changes one member in each of the first `count` documents.
    case touch(database: String, count: Int)
    /// Listens and answers with the URL.
    case listen(database: String, Wire)
    /// Replicates once and answers when the replicator has stopped.
    case sync(Order)
    /// Starts to replicate, continues until the process ends, and answers when it is idle.
    case follow(Order)
    /// Copies one database to another inside the process.
    case copy(from: String, to: String)
    /// Records when changes are reported, for `stamps`.
    case watch(database: String)
    /// Saves documents that carry the time of the save, one after another.
    case save(database: String, count: Int)
    /// Waits until this many stamped documents were reported, and answers with the seconds of each.
    case stamps(count: Int)
    /// Answers with the resources used so far; the peak of memory may be reset.
    case usage(forgetsPeak: Bool)

    /// How revisions are named.
    enum Scheme: String, Codable, CaseIterable {
        case trees, vectors
    }

    /// What goes over the wire, and how.
    struct Wire: Codable {
        var compression = Compression.none
        var isSecure = true
        var usesDeltas = false
    }

    /// The choices of `ReplicationCompression` that the figures need.
    enum Compression: String, Codable {
        case none
        case deflate
        /// The same wire format with the least effort: ISA-L if it is installed.
        case fastDeflate
        case lz4
        /// What the two ends determine.
        case automatic

        var choice: ReplicationCompression {
            switch self {
            case .none: .none
            case .deflate: .deflate(level: 6)
            case .fastDeflate: .deflate(level: 2)
            case .lz4: .lz4
            case .automatic: .automatic
            }
        }
    }

    /// One replication from the active side.
    struct Order: Codable {
        var database: String
        var url: String
        var isPush = false
        var isReset = false
        var wire = Wire()
        /// Seconds between two samples; `nil` takes none.
        var samplePeriod: Double?
        /// The local HTTP proxy to use; `nil` for none.
        var proxyPort: UInt16?
        /// Seconds after which it is given up; the outcome has fewer documents then.
        var patience: Double?
    }
}

/// The result of one replication.
struct SyncOutcome: Codable {
    /// From `start()` until the status `stopped` was reported.
    let seconds: Double
    /// Documents that a push transferred; for a pull, those in the active side's database afterwards.
    let documentCount: Int
    /// Bytes at the active side's socket, both directions.
    let byteCount: Int
    let samples: [Sample]

    /// The progress of a replication at a moment.
    struct Sample: Codable {
        var seconds: Double
        var documentCount: Int
        var residentByteCount: Double
    }
}

/// The resources that a process has used since it began.
struct PeerUsage: Codable {
    /// Processor time of all threads, including the kernel's.
    let processorSeconds: Double
    let residentByteCount: Double
    let peakByteCount: Double
}
