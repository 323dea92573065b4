import Foundation

/// What the groups of one run share: real documents, and a directory that is deleted after the run.
struct BenchContext {
    let documents: Documents
    let directory: String
    /// How far `GrowthStages` goes.
    let documentCount: Int
    /// Where vectors are written for other programs.
    let vectorFolder: String?

    init(documentCount: Int = 10_000, vectorFolder: String? = nil) throws {
        self.documentCount = documentCount
        self.vectorFolder = vectorFolder
        documents = try Documents()
        directory = NSTemporaryDirectory() + "divan-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
    }

    /// Creates a separate directory for a figure.
    func newDirectory() throws -> String {
        let path = "\(directory)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
        return path
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }
}
