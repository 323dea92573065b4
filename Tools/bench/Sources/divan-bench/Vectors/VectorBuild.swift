import CouchbaseLiteSwift
import Foundation

/// Creates a vector index and waits for its training, which the first search starts in the background.
struct VectorBuild {
    /// Seconds to create the index from the documents.
    let creation: Double
    /// Seconds from then until the index is trained.
    let training: Double
    /// Bytes of memory at the peak, in addition to those before.
    let peakByteCount: Double
    /// Seconds of the longest of the saves in between, one after another, in transactions of their own.
    let longestSave: Double

    var seconds: Double { creation + training }

    /// Builds an index of the default collection; `search` needs it.
    init(
        in database: Database,
        _ config: VectorIndexConfiguration,
        search: () throws -> Void
    ) throws {
        let collection = try database.defaultCollection()
        let other = try database.createCollection(name: "other")
        try PeerUsage.forgetPeak()
        let before = PeerUsage.now().residentByteCount
        let start = Stopwatch.seconds()
        try collection.createIndex(withName: "near", config: config)
        let made = Stopwatch.seconds()
        try search()
        var (longest, number) = (0.0, 0)
        while try collection.index(withName: "near")?.isTrained() == false {
            number += 1
            let begin = Stopwatch.seconds()
            try other.save(document: try MutableDocument(id: "n\(number)", json: #"{"n":1}"#))
            longest = max(longest, Stopwatch.seconds() - begin)
            Thread.sleep(forTimeInterval: 0.005)
        }
        creation = made - start
        training = Stopwatch.seconds() - made
        peakByteCount = PeerUsage.now().peakByteCount - before
        longestSave = longest
    }
}
