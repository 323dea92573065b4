import Divan
import Foundation

func backUp(_ shop: Database, to folder: URL) async throws {
    let monday = folder.appending(path: "monday.dump")
    let tuesday = folder.appending(path: "tuesday.dump")
    let written = try await shop.dump(to: monday)
    if !written.isComplete { print("damaged or missing:", written) }
    // Only what changed since Monday.
    let changes = try await shop.dump(to: tuesday, since: monday)
    print("\(changes.documentCount) documents changed")
    let dumps = [monday, tuesday]
    let restored = try await Database.restore(from: dumps, to: "shop-again", in: folder)
    if !restored.isComplete { print("damaged or missing:", restored) }
}

func exchange(_ dishes: DocumentCollection, in folder: URL) throws {
    let table = folder.appending(path: "dishes.csv")
    try dishes.export(to: table)  // also .jsonl and .sqlite
    let seen = try dishes.import(from: table, .init(skipsInvalid: true, isDryRun: true))
    print("\(seen.unchangedCount) unchanged, skipped: \(seen.skipped)")
}
