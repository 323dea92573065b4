import CouchbaseLiteSwift
import Foundation
import Synchronization

actor Till {
    private let dishes: Collection

    init(_ dishes: Collection) {
        self.dishes = dishes
    }

    func sell(_ dish: String) async throws -> Int {
        let sold = try await dishes.background.update(id: dish) { dish in
            dish.setInt(dish.int(forKey: "sold") + 1, forKey: "sold")
        }
        return sold.int(forKey: "sold")
    }
}

func add(_ names: [String], to dishes: Collection) async throws {
    let database = dishes.database
    try await database.inBackground {
        try database.inBatch {
            for name in names {
                try dishes.save(document: MutableDocument(data: ["name": name]))
            }
        }
    }
}

@MainActor final class Board {
    private(set) var changed: [String] = []
    private var token: ListenerToken?

    func follow(_ dishes: Collection) {
        token = dishes.addChangeListener(on: MainActor.self) { [weak self] change in
            self?.changed += change.documentIDs
        }
    }

    func leave() { token?.remove() }
}

final class PushCounter: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func configuration(of collection: Collection) -> CollectionConfiguration {
        var configuration = CollectionConfiguration(collection: collection)
        configuration.pushFilter = { document, _ in
            self.counts.withLock { $0[document.id, default: 0] += 1 }
            return true
        }
        return configuration
    }

    func count(of id: String) -> Int { counts.withLock { $0[id] ?? 0 } }
}
