internal import DivanJSON
internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

extension SQLiteVectorIndex {
    /// One of the two epochs of an index; the raw values are the numbers of their states in `…_parts`.
    enum Epoch: Int64 {
        /// The one that queries search.
        case current = 1
        /// The one that is being built.
        case next = 2
    }

    /// Where the parts and blocks of an epoch are.
    enum Slot: Int {
        case first = 0
        case second = 1

        var other: Slot { self == .first ? .second : .first }

        /// The numbers of its parts: the codec, and the centroids.
        var parts: ClosedRange<Int64> {
            let first = Int64(rawValue + 1) << 20
            return first...first | (1 << 20 - 1)
        }

        /// The IDs of its blocks.
        var blocks: ClosedRange<Int64> {
            let first = SQLiteVectorBlock.ids(of: 0, in: self).lowerBound
            return first...first | (1 << SQLiteVectorBlock.slotBitCount - 1)
        }
    }

    /// How far vectors are in the cells of an epoch; changes after each transaction that moves some.
    struct State: Equatable {
        /// The identity of the training.
        var identity: String
        /// Where the codes are.
        var slot: Slot
        /// The number of vectors that the index had when it was trained.
        var trainedCount: Int
        /// Differs for each change of the codes.
        var version = 0
        /// The greatest number of a vector in a cell: vectors with greater numbers are new.
        var placed: Int64 = 0
        /// The number of codes in blocks, including those of removed vectors.
        var codeCount = 0
        /// The numbers of cells that have 96 % of the neighbours, for each of `neighborCounts`; empty if not measured.
        var probeCounts: [Int] = []
        /// The error that 99 of 100 codes did not exceed when the index was trained; infinite if not measured.
        var errorBound: Float = 0
        /// The number of codes since then with more than twice this error.
        var impreciseCount = 0
        /// The share of the largest cell in the codes when the index was trained.
        var largestShare = 0.0

        /// Names the contents of all blocks.
        var contents: String { "\(identity) \(version)" }

        /// Whether a query searches only some cells, unless it says how many.
        var isLarge: Bool { codeCount > StorageLimits.fullySearchedVectorCount }

        /// The numbers of neighbours for which cells are counted.
        static let neighborCounts = [10, 100, 1_000]
        /// The numbers of vectors: far beyond any sequence, and far from where sums overflow.
        static let vectorNumbers: ClosedRange<Int64> = 1...1 << 53
    }

    /// The number of the part with the greatest number of a vector of a lazy index, also of removed ones.
    static let lastNumberPart: Int64 = 3

    /// The parameters of an index, and the states of its epochs.
    struct Head {
        let options: QueryVectorOptions
        /// `nil` if the index is not trained.
        let state: State?
        /// `nil` if no epoch is being built.
        let next: State?

        init(_ table: String, on connection: StoreConnection) throws {
            let heads = try connection.functionStatement(
                "SELECT number, value FROM \(table)_parts WHERE number <= 2 ORDER BY number"
            )
            defer { heads.reset() }
            guard try heads.step(), heads.integer(0) == 0,
                let options = QueryVectorOptions(json: heads.text(1)), options.isPossible
            else { throw heads.corrupt("invalid parameters of a vector index") }
            var states: [Epoch: State] = [:]
            while try heads.step() {
                guard let epoch = Epoch(rawValue: heads.integer(0)),
                    let state = State(json: heads.bytes(1))
                else { throw heads.corrupt("invalid training state of a vector index") }
                states[epoch] = state
            }
            self.options = options
            (state, next) = (states[.current], states[.next])
            guard state == nil || state?.slot != next?.slot else {
                throw heads.corrupt("two epochs of a vector index have the same slot")
            }
        }

        /// The greatest number of a vector that is in a cell.
        var placed: Int64 { max(state?.placed ?? 0, next?.placed ?? 0) }
    }
}

extension SQLiteVectorIndex.State {
    /// Reads it; `nil` for any other text.
    init?(json text: [UInt8]) {
        guard let json = try? JSON(parsing: text), let identity = json["identity"]?.string else {
            return nil
        }
        func count(_ name: String) -> Int? {
            json[name]?.int.flatMap { 0...1 << 53 ~= $0 ? Int(exactly: $0) : nil }
        }
        guard let slot = count("slot").flatMap(SQLiteVectorIndex.Slot.init),
            let trainedCount = count("count"), let version = count("version"),
            let placed = count("placed"), let codeCount = count("codes"),
            let probes = json["probes"]?.array,
            probes.isEmpty || probes.count == Self.neighborCounts.count
        else { return nil }
        let probeCounts = probes.compactMap { probe in
            probe.int.flatMap { 1...Int64(VectorLimits.centroidCount) ~= $0 ? Int($0) : nil }
        }
        guard probeCounts.count == probes.count else { return nil }
        // States of earlier versions have neither.
        let (error, share) = (json["error"]?.double, json["share"]?.double)
        self.init(
            identity: identity,
            slot: slot,
            trainedCount: trainedCount,
            version: version,
            placed: Int64(placed),
            codeCount: codeCount,
            probeCounts: probeCounts,
            errorBound: error.map { Float($0) } ?? .infinity,
            impreciseCount: count("imprecise") ?? 0,
            largestShare: share ?? 0
        )
    }

    /// Whether the vectors differ from those of the training so much that another one helps.
    ///
    /// - Parameters:
    ///   - share: The share of the largest cell in the codes now.
    ///   - cellCount: The number of cells.
    /// - Returns: Whether to train the index again.
    func hasDrifted(largestShare share: Double, of cellCount: Int) -> Bool {
        let isImprecise = impreciseCount > max(64, codeCount / 16)
        // A cell that was as large after the training would be again.
        return isImprecise || share >= max(8 / Double(cellCount), 2 * largestShare)
    }

    /// The number of cells to search for a number of neighbours; at most `all`.
    ///
    /// Between the measured numbers, and up to all vectors, it is interpolated over the logarithm of the neighbours.
    func probeCount(for neighborCount: Double, of all: Int) -> Int {
        // Linear between the powers of two.
        func logarithm(_ count: Double) -> Double { Double(count.exponent) + count.significand - 1 }
        var points = zip(Self.neighborCounts, probeCounts).map { (Double($0), Double($1)) }
        if points.isEmpty { points = [(10, Double(min(all, max(8, all / 20))))] }
        points.append((Double(codeCount), Double(all)))
        let wanted = max(neighborCount, points[0].0)
        for (low, high) in zip(points, points.dropFirst()) where wanted <= high.0 {
            let distance = logarithm(high.0) - logarithm(low.0)
            let share = (logarithm(wanted) - logarithm(low.0)) / distance
            return min(all, max(1, Int((low.1 + share * (high.1 - low.1)).rounded(.up))))
        }
        return all
    }

    /// Stores it in the parts of an index.
    func store(
        as epoch: SQLiteVectorIndex.Epoch,
        in table: String,
        on connection: StoreConnection
    ) throws {
        var members: JSONObject = [
            "identity": .string(identity), "slot": .int(Int64(slot.rawValue)),
            "count": .int(Int64(trainedCount)),
            "placed": .int(placed), "codes": .int(Int64(codeCount)),
            "version": .int(Int64(version)), "probes": .array(probeCounts.map { .int(Int64($0)) }),
            "imprecise": .int(Int64(impreciseCount)), "share": .double(largestShare),
        ]
        if errorBound.isFinite { members["error"] = .double(Double(errorBound)) }
        try connection.setVectorPart(
            try JSON.object(members).canonicalBytes(),
            epoch.rawValue,
            of: table
        )
    }
}

extension SQLiteConnection<StoreFunctions> {
    /// Stores a part of a vector index.
    func setVectorPart(_ value: [UInt8], _ number: Int64, of table: String) throws(StoreError) {
        let insert = try functionStatement(
            "INSERT OR REPLACE INTO \(table)_parts (number, value) VALUES (?1, ?2)"
        )
        try insert.bind(number, at: 1)
        try insert.bind(value, at: 2)
        try insert.run()
    }
}
