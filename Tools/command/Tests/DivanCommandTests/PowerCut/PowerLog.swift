import DivanTestKit
import Foundation

/// What commands did to a folder, as `Preloads/power_log.c` recorded it, and what a power cut may leave of it.
///
/// What a file's last sync covered is there. Each later write may have reached the disk or not, in any order; one that
/// was in progress is cut at a sector. Names change in their order, as in a journal: those before the last sync of
/// their directory did, of the rest any number of the first ones.
struct PowerLog {
    private enum Event {
        case write(UInt64, Change)
        case sync(UInt64)
        case syncAll
        case syncNames(String)
        case name(Naming)
        /// That many commands have ended.
        case mark(Int)
    }

    private enum Change {
        case bytes(offset: Int, [UInt8])
        case size(Int)
    }

    private enum Naming {
        case file(String, Int)
        case directory(String)
        case move(String, String)
        case exchange(String, String)
        case link(String, String)
        case remove(String)

        var paths: [String] {
            switch self {
            case .file(let path, _), .directory(let path), .remove(let path): [path]
            case .move(let one, let other): [one, other]
            case .exchange(let one, let other): [one, other]
            case .link(let one, let other): [one, other]
            }
        }

        func changesNames(in directory: String) -> Bool {
            paths.contains { URL(filePath: $0).deletingLastPathComponent().path == directory }
        }
    }

    /// A folder: its directories (`nil`) and files by path, and the contents of files by number.
    private struct Folder {
        var entries: [String: Int?] = [:]
        var contents: [Int: [UInt8]] = [:]

        mutating func apply(_ naming: Naming) {
            switch naming {
            case .file(let path, let file): entries[path] = .some(file)
            case .directory(let path): entries[path] = .some(nil)
            case .remove(let path): removeAll(path)
            case .move(let path, let target): move(path, to: target)
            case .link(let path, let target): entries[target] = entries[path]
            case .exchange(let one, let other):
                move(one, to: one + "\0")
                move(other, to: one)
                move(one + "\0", to: other)
            }
        }

        private func below(_ path: String) -> [String] {
            entries.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
        }

        private mutating func removeAll(_ path: String) {
            for entry in below(path) { entries.removeValue(forKey: entry) }
        }

        private mutating func move(_ path: String, to target: String) {
            removeAll(target)
            for entry in below(path) {
                entries[target + entry.dropFirst(path.count)] = entries.removeValue(forKey: entry)
            }
        }

        mutating func apply(_ change: Change, to file: Int) {
            var content = contents[file] ?? []
            switch change {
            case .size(let size):
                content = Array(content.prefix(size))
                content += [UInt8](repeating: 0, count: size - content.count)
            case .bytes(let offset, let bytes):
                let end = offset + bytes.count
                if content.count < end {
                    content += [UInt8](repeating: 0, count: end - content.count)
                }
                content.replaceSubrange(offset..<end, with: bytes)
            }
            contents[file] = content
        }
    }

    private let root: String
    private var before = Folder()
    /// The numbers of the files that were there, by inode.
    private var numbers: [UInt64: Int] = [:]
    private var events: [Event] = []

    /// How many moments there are.
    var count: Int { events.count + 1 }

    /// Reads a folder before anything is recorded.
    init(before root: String) throws {
        self.root = root
        let names = FileManager.default.enumerator(atPath: root)
        while let name = names?.nextObject() as? String {
            let path = root + "/" + name
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType != .typeDirectory else {
                before.entries[path] = .some(nil)
                continue
            }
            let inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
            let file = numbers.count
            numbers[inode] = file
            before.entries[path] = .some(file)
            before.contents[file] = Array(try Data(contentsOf: URL(filePath: path)))
        }
    }

    /// Adds what commands recorded, then that so many of them have ended.
    mutating func add(_ record: [UInt8], thenMark count: Int) {
        var rest = record[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let fields = String(decoding: rest[..<end], as: UTF8.self).components(separatedBy: "\t")
            rest = rest[(end + 1)...]
            let inode = UInt64(fields.count > 1 ? fields[1] : "") ?? 0
            switch fields[0] {
            case "w":
                let bytes = Array(rest.prefix(Int(fields[3]) ?? 0))
                rest = rest.dropFirst(bytes.count)
                events += Self.pages(of: bytes, at: Int(fields[2]) ?? 0).map { .write(inode, $0) }
            case "t": events.append(.write(inode, .size(Int(fields[2]) ?? 0)))
            case "s": events.append(.sync(inode))
            case "a": events.append(.syncAll)
            case "f": events.append(.syncNames(fields[1]))
            case "c": events.append(.name(.file(fields[2], Int(truncatingIfNeeded: inode))))
            case "m": events.append(.name(.directory(fields[1])))
            case "r": events.append(.name(.move(fields[1], fields[2])))
            case "x": events.append(.name(.exchange(fields[1], fields[2])))
            case "l": events.append(.name(.link(fields[1], fields[2])))
            default: events.append(.name(.remove(fields[1])))
            }
        }
        events.append(.mark(count))
    }

    private static func pages(of bytes: [UInt8], at offset: Int) -> [Change] {
        var start = 0
        var pages: [Change] = []
        while start < bytes.count {
            let end = min(start + 4_096 - (offset + start) % 4_096, bytes.count)
            pages.append(.bytes(offset: offset + start, Array(bytes[start..<end])))
            start = end
        }
        return pages
    }

    /// Replaces the folder by what is left if the power is cut before event number `moment`; returns how many commands
    /// had ended.
    func restore(at moment: Int, using generator: inout SeededGenerator) throws -> Int {
        var folder = before
        var files = numbers
        var pending: [Int: [Change]] = [:]
        var namings: [Naming] = []
        var (syncedCount, endedCount) = (0, 0)
        for event in events[..<moment] {
            switch event {
            case .write(let inode, let change):
                if let file = files[inode] { pending[file, default: []].append(change) }
            case .sync(let inode):
                guard let file = files[inode] else { continue }
                for change in pending.removeValue(forKey: file) ?? [] {
                    folder.apply(change, to: file)
                }
            case .syncAll:
                for (file, changes) in pending {
                    for change in changes { folder.apply(change, to: file) }
                }
                pending = [:]
                syncedCount = namings.count
            case .syncNames(let directory):
                let last = namings.lastIndex { $0.changesNames(in: directory) }
                syncedCount = max(syncedCount, last.map { $0 + 1 } ?? 0)
            case .name(.file(let path, let inode)):
                // A new file, though an inode may be used again.
                let file = numbers.count + namings.count
                files[UInt64(inode)] = file
                namings.append(.file(path, file))
            case .name(let naming): namings.append(naming)
            case .mark(let count): endedCount = count
            }
        }
        let keptCount = Int.random(in: syncedCount...namings.count, using: &generator)
        for naming in namings.prefix(keptCount) { folder.apply(naming) }
        for (file, changes) in pending.sorted(by: { $0.key < $1.key }) {
            for change in changes {
                guard let part = Self.part(of: change, using: &generator) else { continue }
                folder.apply(part, to: file)
            }
        }
        try write(folder)
        return endedCount
    }

    /// The part of a change that reached the disk.
    private static func part(of change: Change, using generator: inout SeededGenerator) -> Change? {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0, 1: return nil
        case 2:
            guard case .bytes(let offset, let bytes) = change else { return change }
            let sectorCount = Int.random(in: 0...bytes.count / 512, using: &generator)
            return .bytes(offset: offset, Array(bytes.prefix(sectorCount * 512)))
        default: return change
        }
    }

    private func write(_ folder: Folder) throws {
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: root) {
            try manager.removeItem(atPath: root + "/" + name)
        }
        for (path, file) in folder.entries.sorted(by: { $0.key < $1.key }) {
            if let file {
                let bytes = folder.contents[file] ?? []
                let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
                _ = manager.createFile(atPath: path, contents: Data(bytes), attributes: mode)
            } else {
                try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
        }
    }
}
