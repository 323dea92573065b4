import Divan
import DivanStore

/// What the bench asks one of the two syncing processes to do; a line of JSON.
enum PeerCommand: Codable {
    /// Makes a database of `count` documents, whose revisions are named so.
    case fill(database: String, shape: DocumentShape, count: Int, scheme: Scheme = .trees)
    /// Makes an index of each of these properties.
    case index(database: String, properties: [String])
    /// Stops listening, and deletes a database: the next one takes its pages, which the host has found.
    case drop(database: String)
    /// Stores a document with a blob of random bytes.
    case attach(database: String, byteCount: Int)
    /// Changes one member in each of the first `count` documents.
    case touch(database: String, count: Int)
    /// Listens and answers with the URL.
    case listen(database: String, Wire)
    /// Replicates once and answers when the replicator has stopped.
    case sync(Order)
    /// Begins to replicate, goes on until the process ends, and answers when it is idle.
    case follow(Order)
    /// Copies one database into another inside the process.
    case copy(from: String, to: String)
    /// Notes when changes are told, for `stamps`.
    case watch(database: String)
    /// Saves documents that carry the time of the save, one after another.
    case save(database: String, count: Int)
    /// Waits until so many stamped documents were told, and answers with the seconds of each.
    case stamps(count: Int)
    /// Answers with what the process has used so far; the peak of memory may begin anew.
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
        /// The same wire with the least effort: ISA-L where it is installed.
        case fastDeflate
        case lz4
        /// What the two ends find out.
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
        /// Seconds between two samples; none are taken without.
        var samplePeriod: Double?
        /// The HTTP proxy of this machine through which it goes; none without.
        var proxyPort: UInt16?
        /// Seconds after which it is given up; the outcome has fewer documents then.
        var patience: Double?
    }
}

/// What one replication came to.
struct SyncOutcome: Codable {
    /// From `start()` until the status `stopped` was told.
    let seconds: Double
    /// Documents that a push took over; of a pull those in the active side's database afterwards.
    let documentCount: Int
    /// Bytes at the active side's socket, both directions.
    let byteCount: Int
    let samples: [Sample]

    /// How far a replication was at a moment.
    struct Sample: Codable {
        var seconds: Double
        var documentCount: Int
        var residentByteCount: Double
    }
}

/// What a process has used since it began.
struct PeerUsage: Codable {
    /// Processor time of all threads, the kernel's included.
    let processorSeconds: Double
    let residentByteCount: Double
    let peakByteCount: Double
}
