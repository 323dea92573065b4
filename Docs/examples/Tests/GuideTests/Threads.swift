import Divan

actor Till {
    private let dishes: DocumentCollection

    init(_ dishes: DocumentCollection) {
        self.dishes = dishes
    }

    func sell(_ dish: String) async throws -> Int {
        let sold = try await dishes.update(dish, default: Document(id: dish)) { dish in
            dish.sold = (dish.sold ?? 0) + 1
        }
        return sold.sold ?? 0
    }
}

func add(_ names: [String], to dishes: DocumentCollection) async throws {
    try await dishes.database.write { _ in
        for name in names { try dishes.save(Document(["name": DocumentValue(name)])) }
    }
}

@MainActor final class Board {
    private(set) var changed: Set<String> = []
    private var task: Task<Void, Never>?

    func follow(_ dishes: DocumentCollection) {
        task = Task { [weak self] in
            for await change in dishes.changes { self?.changed.formUnion(change.ids) }
        }
    }

    func leave() { task?.cancel() }
}

actor PushCounter {
    private(set) var counts: [String: Int] = [:]

    nonisolated func selection(of dishes: DocumentCollection) -> Sync.Selection {
        Sync.Selection(dishes, push: .where { await self.count($0.id) })
    }

    private func count(_ id: String) -> Bool {
        counts[id, default: 0] += 1
        return true
    }
}
