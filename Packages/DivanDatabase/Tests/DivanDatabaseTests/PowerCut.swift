import CDivanDatabaseFaults
import DivanTestKit

/// What a run did to its files, and what a power cut during it may leave of them.
///
/// What a file's last sync covered is there. Each later write may have reached the disk or not, in any
/// order, and one that was in progress is cut at a sector. A write of several pages counts as that
/// many writes: the system writes each to the disk separately.
struct PowerCut {
    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    private enum Event {
        case change(String, Change)
        case sync(String)
        case delete(String)
        /// That many steps have been acknowledged.
        case mark(Int)
    }

    /// A moment, and what is left then.
    struct Remains {
        /// Steps that had been acknowledged.
        var stepCount = 0
        /// By path.
        var files: [String: [UInt8]] = [:]
    }

    private static let sectorByteCount = 512
    private static let pageByteCount = 4_096
    private var events: [Event] = []

    /// How many moments there are.
    var count: Int { events.count + 1 }

    /// Takes what `divan_faults_record` has recorded so far.
    init() {
        var start: UnsafePointer<UInt8>?
        let byteCount = Int(divan_faults_recorded(&start))
        // The recording is valid until the next one begins, and is copied here.
        let record = UnsafeRawBufferPointer(start: start, count: byteCount)
        var offset = 0
        func number() -> Int {
            defer { offset += 8 }
            return Int(record.loadUnaligned(fromByteOffset: offset, as: Int64.self))
        }
        while offset < byteCount {
            let kind = record[offset]
            let length = Int(record.loadUnaligned(fromByteOffset: offset + 1, as: UInt16.self))
            let path = String(decoding: record[offset + 3..<offset + 3 + length], as: UTF8.self)
            offset += 3 + length
            let (place, size) = (number(), number())
            switch Character(Unicode.Scalar(kind)) {
            case "w":
                let bytes = Array(record[offset..<offset + size])
                offset += size
                events += Self.pages(of: bytes, at: place).map { .change(path, $0) }
            case "t": events.append(.change(path, .truncate(place)))
            case "s": events.append(.sync(path))
            case "d": events.append(.delete(path))
            default: events.append(.mark(place))
            }
        }
    }

    private static func pages(of bytes: [UInt8], at offset: Int) -> [Change] {
        var start = 0
        var pages: [Change] = []
        while start < bytes.count {
            let rest = pageByteCount - (offset + start) % pageByteCount
            let end = min(start + rest, bytes.count)
            pages.append(.write(offset: offset + start, bytes: Array(bytes[start..<end])))
            start = end
        }
        return pages
    }

    /// What is left of files if the power is cut before event number `moment`.
    func remains(
        of files: [String: [UInt8]],
        at moment: Int,
        using generator: inout SeededGenerator
    ) -> Remains {
        var remains = Remains(files: files)
        var pending: [String: [Change]] = [:]
        for event in events[..<moment] {
            switch event {
            case .change(let path, let change): pending[path, default: []].append(change)
            case .sync(let path):
                for change in pending.removeValue(forKey: path) ?? [] {
                    Self.apply(change, to: &remains.files[path, default: []])
                }
            case .delete(let path):
                pending[path] = nil
                remains.files[path] = nil
            case .mark(let count): remains.stepCount = count
            }
        }
        for path in pending.keys.sorted() {
            for change in pending[path] ?? [] {
                guard let part = Self.part(of: change, using: &generator) else { continue }
                Self.apply(part, to: &remains.files[path, default: []])
            }
        }
        return remains
    }

    /// The part of a change that reached the disk.
    private static func part(of change: Change, using generator: inout SeededGenerator) -> Change? {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0, 1: return nil
        case 2:
            guard case .write(let offset, let bytes) = change else { return change }
            let sectorCount = Int.random(in: 0...bytes.count / sectorByteCount, using: &generator)
            return .write(
                offset: offset,
                bytes: Array(bytes.prefix(sectorCount * sectorByteCount))
            )
        default: return change
        }
    }

    private static func apply(_ change: Change, to file: inout [UInt8]) {
        switch change {
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
            file.replaceSubrange(offset..<end, with: bytes)
        case .truncate(let size):
            if file.count > size { file.removeLast(file.count - size) }
        }
    }
}
