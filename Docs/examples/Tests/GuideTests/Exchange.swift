import Divan
import Foundation

func backUp(_ shop: Database, to folder: URL) async throws {
    let monday = folder.appending(path: "monday.dump")
    let tuesday = folder.appending(path: "tuesday.dump")
    let written = try await shop.dump(to: monday)
    print("\(written.documentCount) documents, missing blobs: \(written.missingBlobs)")
    // Only what changed since Monday.
    try await shop.dump(to: tuesday, since: monday)
    try await Database.restore(from: [monday, tuesday], to: "shop-again", in: folder)
}

func exchange(_ dishes: DocumentCollection, in folder: URL) throws {
    let table = folder.appending(path: "dishes.csv")
    try dishes.export(to: table)  // also .jsonl and .sqlite
    var options = Database.ImportOptions(idProperty: "_id", skipsInvalid: true)
    options.isDryRun = true
    let seen = try dishes.import(from: table, options)
    print("\(seen.unchangedCount) unchanged, skipped: \(seen.skipped)")
}
