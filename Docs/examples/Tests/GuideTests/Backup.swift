import CouchbaseLiteSwift
import Foundation

func repair(_ shop: Database, with hub: URL) async throws -> [String] {
    // Collections that are not listed are not repaired.
    let all = CollectionConfiguration.fromCollections(try shop.allCollections())
    let configuration = ReplicatorConfiguration(collections: all, target: URLEndpoint(url: hub))
    do {
        guard try await shop.repair(from: configuration).needsRebuild else { return [] }
    } catch let error as NSError where error.code == CBLError.corruptData {
        // Unreadable pages cannot be repaired in place: the database is rebuilt.
    }
    try shop.close()
    let rebuild = try Database.rebuild(withName: shop.name, withConfig: shop.config) { shop in
        let all = CollectionConfiguration.fromCollections(try shop.allCollections())
        return ReplicatorConfiguration(collections: all, target: URLEndpoint(url: hub))
    }
    print("kept \(rebuild.keptCount) documents, fetched \(rebuild.fetchedCount)")
    return rebuild.losses
}
