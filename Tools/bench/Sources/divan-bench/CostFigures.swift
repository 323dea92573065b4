import CDivanFloors
import Divan
import DivanTestKit
import Foundation

/// What a document costs in allocations and system calls: counts, which no busy machine changes.
enum CostFigures {
    static func measure(_ workplace: Workplace, into report: inout Report) throws {
        for work in CostlyWork.allCases {
            let prepared = try work.prepare(in: workplace.newDirectory())
            floor_count_allocations(1)
            defer { floor_count_allocations(0) }
            try prepared()
            add(work, "allocations", Double(floor_allocations()), to: &report)
            let calls = try ownCalls(of: work, in: workplace.newDirectory())
            add(work, "system calls", calls, to: &report)
        }
    }

    private static func add(
        _ work: CostlyWork,
        _ what: String,
        _ count: Double,
        to report: inout Report
    ) {
        report.add(
            Figure(
                name: "\(what) of a document, \(work.rawValue)",
                unit: "",
                ours: count / Double(CostlyWork.documentCount),
                floorName: work.remark
            )
        )
    }

    /// Has another process do the work and counts its system calls.
    private static func ownCalls(of work: CostlyWork, in directory: String) throws -> Double {
        let words = [CommandLine.arguments[0], "role", "cost", work.rawValue, directory]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let count = floor_traced_calls(&arguments)
        guard count >= 0 else { throw BenchFailure("the work of \(work.rawValue) was not traced") }
        return Double(count)
    }
}

/// The process whose system calls are counted, between its two marks.
struct CostRole {
    private let work: CostlyWork
    private let directory: String

    init(_ words: [String]) throws {
        guard words.count == 2, let work = CostlyWork(rawValue: words[0]) else {
            throw BenchFailure("role cost wants WORK and DIRECTORY")
        }
        (self.work, directory) = (work, words[1])
    }

    func run() throws {
        let prepared = try work.prepare(in: directory)
        floor_mark()
        try prepared()
        floor_mark()
    }
}

/// What people do most with documents.
enum CostlyWork: String, CaseIterable {
    case save, read, pull, push

    static let documentCount = 5_000

    /// What is counted.
    var remark: String {
        switch self {
        case .save: "public, 1,000 in inBatch"
        case .read: "public, by ID, one field"
        case .pull, .push: "TLS, both ends, connection included"
        }
    }

    /// Gets everything ready and returns the work itself.
    func prepare(in directory: String) throws -> () throws -> Void {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        let here = try Database(name: "here", config: configuration)
        let bodies = try DocumentShape.routes.bodies().map { String(decoding: $0, as: UTF8.self) }
        let fresh = try (0..<Self.documentCount).map { index in
            try MutableDocument(
                id: DocumentShape.documentID(index),
                json: bodies[index % bodies.count]
            )
        }
        if self == .save { return { try Self.save(fresh, in: here) } }
        try Self.save(fresh, in: here)
        if self == .read { return { try Self.read(here) } }
        let there = try Database(name: "there", config: configuration)
        let (active, passive) = self == .push ? (here, there) : (there, here)
        return { try sync(active, with: passive) }
    }

    private static func save(_ documents: [MutableDocument], in database: Database) throws {
        let collection = try database.defaultCollection()
        for start in stride(from: 0, to: documents.count, by: 1_000) {
            try database.inBatch {
                for document in documents[start..<start + 1_000] {
                    try collection.save(document: document)
                }
            }
        }
    }

    private static func read(_ database: Database) throws {
        let collection = try database.defaultCollection()
        for index in 0..<documentCount {
            let document = try collection.document(id: DocumentShape.documentID(index))
            guard document?.string(forKey: "airline") != nil else {
                throw BenchFailure("a document is gone")
            }
        }
    }

    private func sync(_ active: Database, with passive: Database) throws {
        var config = URLEndpointListenerConfiguration(
            collections: [try passive.defaultCollection()]
        )
        config.networkInterface = "127.0.0.1"
        let listener = URLEndpointListener(config: config)
        try listener.start()
        defer { listener.stop() }
        guard let url = listener.urls?.first else { throw BenchFailure("no URL to listen at") }
        let order = PeerCommand.Order(database: "", url: url.absoluteString, isPush: self == .push)
        let outcome = try SyncOnce(order, active).outcome()
        let count = Int(try passive.defaultCollection().count)
        guard outcome.documentCount == Self.documentCount, count == Self.documentCount else {
            throw BenchFailure("documents are missing")
        }
    }
}
