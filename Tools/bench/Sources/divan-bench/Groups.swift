/// All groups: the table of contents of a run.
enum Groups {
    /// In the order of a whole run.
    static let all: [Group] = [
        Group(name: "json", isSteady: true) { try JSONFigures.measure($0.documents, into: &$1) },
        Group(name: "containers", isSteady: true) { try DictionaryFigures.measure(into: &$1) },
        Group(name: "store") {
            try StoreFigures.measure($0.documents, in: $0.directory, into: &$1)
        },
        Group(name: "saving") { try SavingFigures.measure($0, into: &$1) },
        Group(name: "reading") { try ReadingFigures.measure($0, into: &$1) },
        Group(name: "apis") { try APIFigures.measure($0, into: &$1) },
        Group(name: "query") { try QueryFigures.measure(in: $0.directory, into: &$1) },
        Group(name: "scans") { try ScanFigures.measure($0, into: &$1) },
        Group(name: "growth") { try GrowthFigures.measure($0, into: &$1) },
        Group(name: "stages") { try GrowthStages.measure($0, into: &$1) },
        Group(name: "reference") { try ReferenceFigures.measure($0, into: &$1) },
        Group(name: "deltas", isSteady: true) { try DeltaFigures.measure($0, into: &$1) },
        Group(name: "command") { try CommandFigures.measure($0, into: &$1) },
        Group(name: "long-documents") { try LongDocumentFigures.measure($0, into: &$1) },
        Group(name: "blobs") { try BlobFigures.measure($0, into: &$1) },
        Group(name: "seal") { try SealFigures.measure($0, into: &$1) },
        Group(name: "packing") { try PackFigures.measure($0, into: &$1) },
        Group(name: "import") { try ImportFigures.measure($0, into: &$1) },
        Group(name: "codec") { try CodecFigures.measure($0.documents, into: &$1) },
        Group(name: "vectors") { try VectorFigures.measure(into: &$1) },
        Group(name: "vector-search-384") {
            try VectorSearchFigures.measure(
                count: 100_000,
                dimensions: 384,
                spread: 1.3,
                $0,
                into: &$1
            )
        },
        Group(name: "vector-search-128") {
            try VectorSearchFigures.measure(
                count: 1_000_000,
                dimensions: 128,
                spread: 1.5,
                $0,
                into: &$1
            )
        },
        Group(name: "vector-search-text", readsVectors: true) {
            try VectorSearchFigures.measureTexts($0, into: &$1)
        },
        Group(name: "websocket", isSteady: true) { try WebSocketFigures.measure(into: &$1) },
        Group(name: "blip", isSteady: true) { try BLIPFigures.measure($0.documents, into: &$1) },
        Group(name: "costs", isSteady: true) { try CostFigures.measure($0, into: &$1) },
        Group(name: "instructions", isSteady: true) {
            try InstructionFigures.measure($0, into: &$1)
        },
        Group(name: "tls") { try TLSFigures.measure(into: &$1) },
        Group(name: "stream") { try LoopbackFigures.measureStream(into: &$1) },
        Group(name: "requests") { try LoopbackFigures.measureRequests(into: &$1) },
        Group(name: "roundtrip") { try LoopbackFigures.measureRoundTrips(into: &$1) },
        Group(name: "memory") { try IdleFigures.measureMemory(into: &$1) },
        Group(name: "idle") { try IdleFigures.measureCrowd(into: &$1) },
        Group(name: "listener") { try ListenerFigures.measure(in: $0.directory, into: &$1) },
        Group(name: "many") { try ManyFigures.measure($0, into: &$1) },
        Group(name: "links-slow") { try LinkFigures.measure([1, 10], $0, into: &$1) },
        Group(name: "links-middle") { try LinkFigures.measure([100], $0, into: &$1) },
        Group(name: "links-fast") { try LinkFigures.measure([1_000], $0, into: &$1) },
        Group(name: "sync-rates") { try SyncFigures.measure($0, into: &$1) },
        Group(name: "sync-schemes") { try SchemeFigures.measure($0, into: &$1) },
        Group(name: "sync-steps") { try StepFigures.measure($0, into: &$1) },
        Group(name: "sync-volume") { try VolumeFigures.measure($0, into: &$1) },
        Group(name: "sync-reference") { try SyncReferenceFigures.measure($0, into: &$1) },
    ]
}
