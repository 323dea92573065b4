import CouchbaseLiteSwift
import DivanPlatform
import DivanTLS
import DivanTestKit
import Foundation

/// A listening process with two databases: `full` holds real documents, `quiet` holds none.
///
/// It prints three ports, `full` over TLS, `quiet` over TLS, `quiet` in clear text, and answers
/// `memory`, `work`, `descriptors`, `connections` and `save`, which saves a document into `quiet`.
final class ListenerRole {
    static let credentials = (username: "ada", password: "lovelace")

    private let full: Database
    private let quiet: Database
    private var listeners: [URLEndpointListener] = []

    /// Takes the words `DIRECTORY COUNT`: where to store databases, and how many documents.
    init(_ words: [String]) throws {
        guard words.count == 2, let count = Int(words[1]) else {
            throw BenchFailure("a listener needs a directory and a number of documents")
        }
        LogSinks.console = nil
        var configuration = DatabaseConfiguration()
        configuration.directory = words[0]
        full = try Database(name: "full", config: configuration)
        quiet = try Database(name: "quiet", config: configuration)
        try fill(count)
        let identity = try TLSIdentity(pem: benchCredential().pem())
        for (database, isSecure) in [(full, true), (quiet, true), (quiet, false)] {
            listeners.append(try Self.listen(database, isSecure ? identity : nil))
        }
    }

    func run() throws {
        say(listeners.map { "\($0.port ?? 0)" }.joined(separator: " "))
        var savedCount = 0
        ProcessRole.answer { question in
            switch question {
            case "memory": return Double(OwnProcess.residentByteCount)
            case "work": return processSeconds()
            case "descriptors": return descriptorCount()
            case "connections":
                return Double(listeners.reduce(0) { $0 + $1.status.connectionCount })
            case "save":
                savedCount += 1
                let document = MutableDocument(id: "saved-\(savedCount)")
                document.setInt(savedCount, forKey: "value")
                guard (try? quiet.defaultCollection().save(document: document)) != nil else {
                    return -1
                }
                return monotonicSeconds()
            default: return -1
            }
        }
    }

    private func fill(_ count: Int) throws {
        let documents = try Documents()
        let collection = try full.defaultCollection()
        try full.inBatch {
            for number in 0..<count {
                let index = number % documents.bodies.count
                let json = String(decoding: documents.bodies[index], as: UTF8.self)
                let document = try MutableDocument(id: "route-\(number)", json: json)
                try collection.save(document: document)
            }
        }
    }

    private static func listen(
        _ database: Database,
        _ identity: TLSIdentity?
    ) throws -> URLEndpointListener {
        var configuration = URLEndpointListenerConfiguration(
            collections: [try database.defaultCollection()]
        )
        configuration.networkInterface = "127.0.0.1"
        configuration.tlsIdentity = identity
        configuration.disableTLS = identity == nil
        configuration.limits.connectionCount = 20_000
        configuration.authenticator = ListenerPasswordAuthenticator { username, password in
            username == credentials.username && password == credentials.password
        }
        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        return listener
    }
}

/// Processor time of this process in seconds.
func processSeconds() -> Double { Double(ProcessorClock.process()) / 1e9 }

/// A clock shared by all processes of the machine, in seconds.
func monotonicSeconds() -> Double { Double(MonotonicClock.now()) / 1e9 }

/// Open files of this process.
private func descriptorCount() -> Double {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return Double(names?.count ?? -1)
}
