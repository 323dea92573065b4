import CouchbaseLiteSwift
import DivanPlatform
import DivanTestKit
import Foundation
import Synchronization

/// The process that is attacked: three listeners of one database.
///
/// `password` (TLS), `certificates` (TLS, clients from one root, some of them revoked) and
/// `readOnly` (clear text). It prints their ports and answers commands, one per line.
final class AttackedListener {
    private let directory: String
    private var database: Database
    private var listeners: [URLEndpointListener] = []
    private let struckOff = Names()
    private var ports: [UInt16] = [0, 0, 0]

    init(_ directory: String) throws {
        self.directory = directory
        CurrentProcess.setFileMask(0)  // the modes of files must not depend on it
        TLSIdentity.storeDirectory = directory + "/identities"
        LogSinks.console = ConsoleLogSink(level: .info)
        database = try Self.open(directory)
        try fill()
        try listen()
    }

    private static func open(_ directory: String) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        return try Database(name: "attacked", config: configuration)
    }

    func run() throws {
        StandardLines.say(ports.map(String.init).joined(separator: " "))
        StandardLines.answer { try answer($0.split(separator: " ").map(String.init)) }
    }

    private func answer(_ words: [String]) throws -> String {
        switch words.first {
        case "document":
            return try database.defaultCollection().document(id: words[1])?.toJSON() ?? "none"
        case "put":
            try put(words[1], in: try database.defaultCollection())
            return "ok"
        case "strike":
            struckOff.insert(words[1])
            return "ok"
        case "connections":
            return "\(listeners.reduce(0) { $0 + $1.status.connectionCount })"
        case "descriptors":
            return "\(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count)"
        case "size": return "\(try size { !$0.hasSuffix("-wal") })"
        case "log": return "\(try size { $0.hasSuffix("-wal") })"
        case "compact":
            try database.performMaintenance(type: .compact)
            return "ok"
        case "modes":
            let open = try files().filter { $0.mode & 0o077 != 0 }
            return open.isEmpty ? "the owner's alone" : open.map(\.path).joined(separator: " ")
        case "memory": return "\(OwnProcess.residentByteCount)"
        case "restart":
            for listener in listeners { listener.stopForRestart() }
            try listen()
            return "ok"
        case "stop":
            for listener in listeners { listener.stop() }
            return "ok"
        case "start":
            try listen()
            return "ok"
        case "close":
            try database.close()
            database = try Self.open(directory)
            try listen()
            return "ok"
        default: return "?"
        }
    }

    /// A blob that takes a while to be read.
    static let film = [UInt8](repeating: 7, count: 4 << 20)

    private func size(where isCounted: (String) -> Bool) throws -> Int {
        try files().filter { isCounted($0.path) }.reduce(0) { $0 + $1.byteCount }
    }

    /// The files of the database.
    private func files() throws -> [(path: String, byteCount: Int, mode: Int)] {
        let directory = database.path ?? ""
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return try ([""] + names).map { name in
            let path = directory + "/" + name
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            let byteCount = (facts[.size] as? NSNumber)?.intValue ?? 0
            return (path, byteCount, (facts[.posixPermissions] as? NSNumber)?.intValue ?? 0)
        }
    }

    private func fill() throws {
        let (open, hidden) = (
            try database.defaultCollection(), try database.createCollection(name: "hidden")
        )
        for number in 0..<50 { try put("open-\(number)", in: open) }
        try put("secret", in: hidden)
        let film = MutableDocument(id: "film")
        film.setBlob(Blob(contentType: "video/mp4", data: Data(Self.film)), forKey: "blob")
        try open.save(document: film)
        let picture = MutableDocument(id: "picture")
        let blob = Blob(contentType: "text/plain", data: Data(Secrets.body.utf8))
        picture.setBlob(blob, forKey: "blob")
        try hidden.save(document: picture)
    }

    private func put(_ id: String, in collection: Collection) throws {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setString(Secrets.body, forKey: "text")
        document.setInt(document.int(forKey: "count") + 1, forKey: "count")
        try collection.save(document: document)
    }

    // MARK: Listeners

    /// Listens, on the same ports as the first time.
    private func listen() throws {
        let collections = [
            try database.defaultCollection(), try database.createCollection(name: "hidden"),
        ]
        listeners = try [passwords, certificates, readOnly].enumerated().map { index, change in
            var configuration = URLEndpointListenerConfiguration(collections: collections)
            configuration.networkInterface = "127.0.0.1"
            configuration.port = ports[index]
            configuration.limits.sparesLoopback = false
            configuration.limits.connectionCount = 400
            configuration.limits.addressConnectionCount = 100
            configuration.limits.addressHandshakeCount = 40
            configuration.limits.handshakeTimeout = 4
            try change(&configuration)
            let listener = URLEndpointListener(config: configuration)
            try listener.start()
            ports[index] = listener.port ?? 0
            return listener
        }
    }

    private func passwords(_ configuration: inout URLEndpointListenerConfiguration) throws {
        let open = try database.defaultCollection()
        configuration.authenticator = ListenerPasswordAuthenticator { name, password in
            ["ada", "eve"].contains(name) && password == Secrets.password
        }
        // Eve sees one collection, and in it nothing of Ada's.
        configuration.access = { client in
            guard client.user == "eve" else { return .full }
            var access = ListenerAccess()
            access.collections = [open]
            access.readFilter = { document, _ in !document.id.hasPrefix("open") }
            return access
        }
    }

    private func certificates(_ configuration: inout URLEndpointListenerConfiguration) throws {
        let pem = try String(contentsOfFile: directory + "/root.pem", encoding: .utf8)
        configuration.authenticator = ListenerCertificateAuthenticator(
            rootCerts: [try TLSCertificate(pem: pem)]
        )
        configuration.access = { [struckOff] client in
            let name = client.certificates.first?.commonName ?? ""
            return struckOff.contains(name) ? .refused("struck off") : .full
        }
    }

    private func readOnly(_ configuration: inout URLEndpointListenerConfiguration) {
        configuration.disableTLS = true
        configuration.readOnly = true
    }
}

/// Names that several threads look up.
private final class Names: Sendable {
    private let names = Mutex<Set<String>>([])

    func insert(_ name: String) { names.withLock { _ = $0.insert(name) } }
    func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
}
