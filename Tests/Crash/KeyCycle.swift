@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import Foundation

/// The keys that a database gets one after the other: none, one, another, and from the start again.
enum KeyCycle: Int, CaseIterable {
    case none, first, second

    var next: KeyCycle { KeyCycle(rawValue: rawValue + 1) ?? .none }

    func sealing() throws -> (any StoreSealing)? {
        guard self != .none else { return nil }
        return try EncryptionKey.key(Data(repeating: UInt8(rawValue), count: 32)).sealing()
    }

    func options() throws -> StoreOptions {
        StoreOptions(create: false, sealing: try sealing(), packing: .bundled)
    }
}

/// The process that is killed while it changes keys: one after the other, each reported once it is in use.
struct Rekeyer {
    let directory: String

    /// Continues from a key until the process is killed.
    func run(from key: KeyCycle) throws {
        let store = try Store.open(directory: directory, options: try key.options())
        var key = key
        while true {
            key = key.next
            try store.changeSealing(to: try key.sealing())
            FileHandle.standardOutput.write(Data("\(key.rawValue)\n".utf8))
        }
    }
}
