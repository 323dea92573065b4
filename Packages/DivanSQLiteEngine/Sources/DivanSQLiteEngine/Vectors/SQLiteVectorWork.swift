internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// Reads what a vector index needs next from a snapshot, and stores the changes.
extension SQLiteSession {
    func vectorIndexState(_ table: String) throws -> VectorIndexState? {
        let head = try SQLiteVectorIndex.Head(table, on: connection)
        guard let state = head.state else {
            return VectorIndexState(
                options: head.options,
                isTrained: false,
                trainedCount: 0,
                untrainedCount: try vectorCount(of: table),
                freshCount: 0,
                isBeingTrained: head.next != nil,
                isLarge: false,
                isOutdated: false
            )
        }
        let hasRemoved = connection.client.cells?.hasRemoved(table, at: state.contents) ?? false
        return VectorIndexState(
            options: head.options,
            isTrained: true,
            trainedCount: state.trainedCount,
            untrainedCount: 0,
            freshCount: try SQLiteVectorPlacing(table, head.options, state, on: connection)
                .newCount(atMost: StorageLimits.freshVectorCount + 1),
            isBeingTrained: head.next != nil,
            isLarge: state.isLarge,
            isOutdated: try hasRemoved || hasContents(state.slot.other, of: table)
        )
    }

    func vectorIndexWork(_ table: String, _ upkeep: VectorUpkeep) throws -> (any VectorIndexWork)? {
        let head = try SQLiteVectorIndex.Head(table, on: connection)
        let form = try vectorIndexForm(table, head, upkeep)
        return form.map {
            SQLiteVectorIndexWork(form: $0, basis: SQLiteVectorIndexChange.Basis(head))
        }
    }

    private func vectorIndexForm(
        _ table: String,
        _ head: SQLiteVectorIndex.Head,
        _ upkeep: VectorUpkeep
    ) throws -> SQLiteVectorIndexWork.Form? {
        if let next = head.next {
            return try placing(table, head.options, next, .next, upkeep)
                ?? completion(table, head.options, next, upkeep)
        }
        guard let state = head.state else {
            return try training(table, head.options, upkeep, count: vectorCount(of: table))
        }
        let isQuick = upkeep.vectorCount != nil
        if try hasContents(state.slot.other, of: table) {
            return isQuick ? nil : .change(.removeFormer)
        }
        if let placing = try placing(table, head.options, state, .current, upkeep) {
            return placing
        }
        if upkeep.firstBlock != nil { return try cleaning(table, upkeep) }
        // Counting the vectors of a large index takes some milliseconds.
        guard !state.isLarge || !isQuick else { return nil }
        let count = try vectorCount(of: table)
        let isOutgrown = count / upkeep.growth >= state.trainedCount
        if try isOutgrown || hasDrifted(table, head.options, state),
            let training = try training(table, head.options, upkeep, count: count)
        {
            return training
        }
        guard state.codeCount - count > max(64, count / 8) else {
            connection.client.cells?.noteCounted(table, at: state.contents)
            return nil
        }
        return try cleaning(table, upkeep)
    }

    private func hasDrifted(
        _ table: String,
        _ options: QueryVectorOptions,
        _ state: SQLiteVectorIndex.State
    ) throws -> Bool {
        let index = SQLiteVectorIndex(table, options, state)
        let share = try index.largestShare(on: connection)
        return state.hasDrifted(largestShare: share, of: options.centroidCount)
    }

    private func cleaning(
        _ table: String,
        _ upkeep: VectorUpkeep
    ) throws -> SQLiteVectorIndexWork.Form? {
        let index = try SQLiteVectorIndex(table, on: connection)
        let blocks = try SQLiteVectorCleaning(index, on: connection)
            .blocks(from: upkeep.firstBlock ?? 0, byteCount: upkeep.cleanedByteCount)
        return blocks.isEmpty ? nil : .change(.clean(blocks))
    }

    private func placing(
        _ table: String,
        _ options: QueryVectorOptions,
        _ state: SQLiteVectorIndex.State,
        _ epoch: SQLiteVectorIndex.Epoch,
        _ upkeep: VectorUpkeep
    ) throws -> SQLiteVectorIndexWork.Form? {
        try SQLiteVectorPlacing(table, options, state, on: connection)
            .vectors(upkeep) { try SQLiteVectorIndex(table, epoch, on: connection) }
            .map { .placing($0, in: epoch) }
    }

    private func completion(
        _ table: String,
        _ options: QueryVectorOptions,
        _ state: SQLiteVectorIndex.State,
        _ upkeep: VectorUpkeep
    ) throws -> SQLiteVectorIndexWork.Form? {
        guard try SQLiteVectorPlacing(table, options, state, on: connection).isDone(upkeep),
            upkeep.vectorCount == nil || !state.isLarge
        else { return nil }
        let index = try SQLiteVectorIndex(table, .next, on: connection)
        let measuring = SQLiteProbeMeasuring(index, on: connection)
        return .change(
            .complete(
                probeCounts: try measuring.probeCounts(),
                largestShare: try index.largestShare(on: connection)
            )
        )
    }

    private func hasContents(_ slot: SQLiteVectorIndex.Slot, of table: String) throws -> Bool {
        let exists = try connection.functionStatement(
            """
            SELECT EXISTS (SELECT 1 FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2)
                OR EXISTS (SELECT 1 FROM \(table)_parts WHERE number BETWEEN ?3 AND ?4)
            """
        )
        defer { exists.reset() }
        try exists.bind(slot.blocks, at: 1)
        try exists.bind(slot.parts, at: 3)
        return try exists.step() && exists.integer(0) != 0
    }

    private func vectorCount(of table: String) throws -> Int {
        Int(clamping: try connection.integer("SELECT count(*) FROM \(table)") ?? 0)
    }

    // MARK: Training

    private func training(
        _ table: String,
        _ options: QueryVectorOptions,
        _ upkeep: VectorUpkeep,
        count: Int
    ) throws -> SQLiteVectorIndexWork.Form? {
        guard count >= options.minimumTrainingCount else { return nil }
        let needed = 12 * options.centroidCount * options.dimensions
        let limit = VectorLimits.trainingByteCount - 2 * StorageLimits.vectorSampleByteCount
        guard needed <= limit else {
            throw VectorError.trainingMemory(byteCount: needed, limit: limit)
        }
        let sampleCount = min(count, options.maximumTrainingCount)
        // Ten rounds over the sample, and then each vector once.
        let distanceCount = (10 * sampleCount + count) / count * options.meanCount
        guard upkeep.allows(count, times: distanceCount * options.dimensions) else { return nil }
        let floats = try sample(sampleCount, of: count, table, options)
        return .training(
            VectorSample(
                options: options,
                directions: options.directions(of: floats),
                floats: floats,
                vectorCount: count
            )
        )
    }

    /// Vectors from the whole index, evenly spread over all rows.
    private func sample(
        _ sampleCount: Int,
        of count: Int,
        _ table: String,
        _ options: QueryVectorOptions
    ) throws -> [Float] {
        let rows = try connection.prepare(
            """
            SELECT \(SQLiteVectorIndex.floats(of: table))
            FROM (SELECT owner, vector, row_number() OVER (ORDER BY number) AS place FROM \(table))
                AS v WHERE place * ?1 / ?2 > (place - 1) * ?1 / ?2
            """
        )
        try rows.bind(Int64(sampleCount), at: 1)
        try rows.bind(Int64(max(count, 1)), at: 2)
        var floats: [Float] = []
        floats.reserveCapacity(sampleCount * options.dimensions)
        while try rows.step() {
            let vector = rows.floats(0)
            guard vector.count == options.dimensions else {
                throw rows.corrupt("a vector in a vector index has the wrong length")
            }
            floats += vector
        }
        return floats
    }

    // MARK: Changes

    func changeVectorIndex(_ table: String, _ change: any VectorIndexChange) throws {
        let head = try SQLiteVectorIndex.Head(table, on: connection)
        guard let change = change as? SQLiteVectorIndexChange,
            change.basis == SQLiteVectorIndexChange.Basis(head)
        else { return }
        switch change.form {
        case .begin(let codec, let centroids, let vectorCount):
            try begin(table, (head.state?.slot ?? .second).other, [codec] + centroids, vectorCount)
        case .place(let vectors, let epoch):
            guard let state = epoch == .current ? head.state : head.next else { return }
            try SQLiteVectorPlacing(table, head.options, state, on: connection)
                .store(vectors, in: epoch)
        case .complete(let probeCounts, let largestShare):
            guard var state = head.next else { return }
            (state.probeCounts, state.largestShare) = (probeCounts, largestShare)
            try state.store(as: .current, in: table, on: connection)
            try connection.execute("DELETE FROM \(table)_parts WHERE number = 2")
        case .clean(let blocks):
            let index = SQLiteVectorIndex(table, head.options, head.state)
            try SQLiteVectorCleaning(index, on: connection).store(blocks)
        case .removeFormer:
            guard let slot = head.state?.slot.other, head.next == nil else { return }
            try removeSome(of: slot, table)
        }
    }

    private func begin(
        _ table: String,
        _ slot: SQLiteVectorIndex.Slot,
        _ parts: [[UInt8]],
        _ vectorCount: Int
    ) throws {
        // Random, since a rebuilt index can have the same training and other numbers.
        let state = SQLiteVectorIndex.State(
            identity: try connection.text("SELECT hex(randomblob(16))") ?? "",
            slot: slot,
            trainedCount: vectorCount
        )
        try state.store(as: .next, in: table, on: connection)
        for (number, part) in zip(slot.parts, parts) {
            try connection.setVectorPart(part, number, of: table)
        }
    }

    /// Removes some blocks of a slot, and with the last ones its parts.
    private func removeSome(of slot: SQLiteVectorIndex.Slot, _ table: String) throws {
        let count = SQLiteEngineLimits.removedVectorBlockCount
        let remove = try connection.prepare(
            """
            DELETE FROM \(table)_blocks WHERE id IN
                (SELECT id FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2 LIMIT \(count))
            """
        )
        try remove.bind(slot.blocks, at: 1)
        try remove.run()
        guard connection.changedRowCount < count else { return }
        let removeParts = try connection.prepare(
            "DELETE FROM \(table)_parts WHERE number BETWEEN ?1 AND ?2"
        )
        try removeParts.bind(slot.parts, at: 1)
        try removeParts.run()
    }
}
