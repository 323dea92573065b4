import DivanVectors
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    @Test
    func `the README example works`() throws {
        let vectors = ClusteredVectors(count: 1_000, dimensions: 8, queries: 1, seed: 5)
        let (notes, question) = (vectors.floats, vectors.queries[0])

        // `notes` has 1,000 vectors of 8 dimensions, one after another.
        var training = try CodecTraining(
            .scalar(bits: 8),
            dimensions: 8,
            metric: .cosine,
            sample: notes,
            seed: 1
        )
        let codec = try training.finish()
        var codes: [UInt8] = []
        for start in stride(from: 0, to: notes.count, by: 8) {
            try codec.encode(notes.span.extracting(start..<start + 8), appendingTo: &codes)
        }
        let block = try VectorBlock.make(codes.span.bytes, of: codec)  // store it, and codec.bytes

        let range = try VectorBlock.codes(in: block.span.bytes, of: codec)
        var distances = [Float](repeating: 0, count: 1_000)
        let scanner = try codec.scanner(for: question.span)
        try scanner.distances(to: block.span.bytes.extracting(range), into: distances.mutableSpan)
        var nearest = NearestNeighbors(limit: 10)
        for (note, distance) in distances.enumerated() { nearest.insert(Int64(note), at: distance) }

        let query = try VectorQuery(question, metric: .cosine)
        let exact = try (0..<1_000).map { try query.distance(to: vectors[$0].span) }
        let best = try #require(exact.indices.min { exact[$0] < exact[$1] })
        #expect(nearest.sorted.map(\.id).contains(Int64(best)))
        #expect(nearest.count == 10)
    }
}
