import DivanDatabase
import Foundation

/// The process that opens a database and reports the cost: the least seconds of five times, and
/// its own memory in bytes before the first and after the last.
struct OpenerRole {
    let directory: String

    init(_ words: [String]) throws {
        guard let directory = words.first else { throw BenchFailure("opener needs a database") }
        self.directory = directory
    }

    func run() throws {
        let before = Self.ownByteCount()
        var stores: [Store] = []
        let seconds = try Stopwatch.best(of: 5) {
            for store in stores { try store.close() }
            let store = try Store.open(directory: directory)
            stores = [store]
            let documents = try store.read { reader in
                try reader.documents(in: .default, after: 0, limit: 1)
            }
            guard documents.count == 1 else { throw BenchFailure("the documents are missing") }
        }
        let after = Self.ownByteCount()
        for store in stores { try store.close() }
        say("\(seconds) \(before) \(after)")
    }

    /// Memory of this process that is not backed by a file: heap, stacks, changed data.
    private static func ownByteCount() -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        guard words.count > 1, let kilobytes = Double(words[1]) else { return 0 }
        return kilobytes * 1_024
    }
}
