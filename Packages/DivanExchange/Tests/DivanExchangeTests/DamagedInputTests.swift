import CouchbaseLiteSwift
import DivanExchange
import DivanJSON
import DivanTestKit
import Testing

/// Incomplete and changed inputs give documents or an error, however the bytes arrive.
@Suite struct DamagedInputTests {
    /// What an input gives: the places of its documents, and the error that ended it.
    private struct Outcome: Equatable {
        var places: [String] = []
        var error: String?
    }

    private func outcome(of pieces: [ArraySlice<UInt8>], as format: DocumentFormat) -> Outcome {
        var rest = pieces.filter { !$0.isEmpty }[...]
        let source = ByteSource(name: "input") { rest.popFirst().map(Array.init) ?? [] }
        var outcome = Outcome()
        do {
            try format.read(source) { outcome.places.append($0.place) }
        } catch {
            outcome.error = "\(error)"
        }
        return outcome
    }

    private static let seeds = UInt64(0)..<UInt64(TestLength.of(60, long: 2_000))

    @Test(arguments: seeds)
    func `a damaged file gives the same outcome in pieces of any size`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for file in ForeignFile.texts {
            let bytes = damaged(file.bytes, using: &generator)
            let whole = outcome(of: [bytes[...]], as: file.format)
            let pieces = bytes.pieces(longest: 7, using: &generator)
            #expect(outcome(of: pieces, as: file.format) == whole, "seed \(seed): \(file)")
        }
    }

    /// The libraries verify a checksum after they have passed on some of the contents, depending on the pieces.
    @Test(arguments: seeds)
    func `a damaged compressed file fails or succeeds in pieces of any size`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for file in ForeignFile.compressed {
            let bytes = damaged(file.bytes, using: &generator)
            let whole = outcome(of: [bytes[...]], as: file.format)
            let cut = outcome(of: bytes.pieces(longest: 7, using: &generator), as: file.format)
            #expect((cut.error == nil) == (whole.error == nil), "seed \(seed): \(file)")
        }
    }

    @Test(arguments: seeds)
    func `a damaged file is imported or refused by an error of the package`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let shop = try SampleDatabase()
        for file in ForeignFile.all {
            let bytes = damaged(file.bytes, using: &generator)
            do {
                try shop.database.importDocuments(
                    from: ByteSource(name: "input", bytes: bytes),
                    as: file.format,
                    rules: .init(skipsInvalid: Bool.random(using: &generator))
                )
            } catch {
                #expect(error is ExchangeError, "seed \(seed): \(file): \(error)")
            }
        }
    }

    /// A text that is cut off, or has changed, repeated or exchanged bytes.
    private func damaged(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where bytes.count > 1 {
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.removeSubrange(place...)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 2: bytes.insert(contentsOf: bytes[..<place], at: place)
            default:
                let other = Int.random(in: bytes.indices, using: &generator)
                bytes.swapAt(place, other)
            }
        }
        return bytes
    }

    @Test(arguments: FileCompression.allCases)
    func `a compressed file that is cut off anywhere is refused with the byte`(
        _ compression: FileCompression
    ) throws {
        var packed: [UInt8] = []
        let output = try CompressedOutput(compression, name: "f", to: { packed += $0 })
        try output.write(Array((1...200).flatMap { "{\"_id\":\"\($0)\"}\n".utf8 }))
        try output.finish()
        // With fewer bytes, it is not recognized.
        for count in 4..<packed.count {
            let last = outcome(of: [packed[..<count]], as: .json).error ?? ""
            #expect(last.hasPrefix("input: byte \(count): the "), "\(count): \(last)")
            #expect(last.contains("data is incomplete"), "\(count): \(last)")
        }
        #expect(outcome(of: [packed[...]], as: .json).places.count == 200)
        let trailed = outcome(of: [packed[...], [9]], as: .json).error ?? ""
        #expect(trailed.contains("byte \(packed.count): invalid "), "\(trailed)")
        #expect(trailed.contains("data after the end"), "\(trailed)")
    }

    @Test(arguments: FileCompression.allCases)
    func `a changed byte in a compressed file is detected by its checksum`(
        _ compression: FileCompression
    ) throws {
        var packed: [UInt8] = []
        let output = try CompressedOutput(compression, name: "f", to: { packed += $0 })
        try output.write(Array((1...200).flatMap { "{\"_id\":\"\($0)\"}\n".utf8 }))
        try output.finish()
        packed[packed.count / 2] ^= 1
        let last = outcome(of: [packed[...]], as: .json).error ?? ""
        #expect(last.contains("invalid ") && last.contains("; check that the file"), "\(last)")
    }

    @Test(arguments: FileCompression.allCases)
    func `a wrong checksum at the end of a compressed file is not reported as an incomplete file`(
        _ compression: FileCompression
    ) throws {
        var packed: [UInt8] = []
        let output = try CompressedOutput(compression, name: "f", to: { packed += $0 })
        try output.write(Array("{\"_id\":\"a\"}\n".utf8))
        try output.finish()
        packed[packed.count - 1] ^= 1
        let bytes = packed.indices.map { packed[$0...$0] }
        let last = outcome(of: bytes, as: .json).error ?? ""
        #expect(last.contains("invalid "), "\(last)")
    }

    @Test(arguments: FileCompression.allCases)
    func `a small file of many bytes is refused at the limit of a document, in pieces`(
        _ compression: FileCompression
    ) throws {
        var packed: [UInt8] = []
        let output = try CompressedOutput(compression, name: "f", to: { packed += $0 })
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 1 << 20)
        for _ in 0...64 { try output.write(zeros) }
        try output.finish()
        #expect(packed.count < 100_000)
        let source = ByteSource(name: "input", bytes: packed).decompressed()
        var longest = 0
        while case let piece = try source.read(), !piece.isEmpty {
            longest = max(longest, piece.count)
        }
        #expect(longest <= 128 << 10)
        guard TestLength.isLong else { return }
        let last = outcome(of: [packed[...]], as: .json).error ?? ""
        #expect(last.contains("a document is larger than 64 MiB"), "\(last)")
    }
}
