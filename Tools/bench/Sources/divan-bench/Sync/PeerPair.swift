import DivanTestKit
import Foundation

/// The two processes of a figure: the one that listens and the one that starts replications.
struct PeerPair {
    let passive: PeerProcess
    let active: PeerProcess

    init(in directory: String) throws {
        passive = try PeerProcess(in: directory)
        active = try PeerProcess(in: directory)
    }
}

/// One of them as the bench sees it.
final class PeerProcess {
    private let child: RunningProgram
    private let encoder = JSONEncoder()

    init(in directory: String) throws {
        child = try ProcessRole.peer.start([directory])
    }

    /// Sends a command and returns its result.
    func ask<T: Decodable>(_ command: PeerCommand, for type: T.Type) throws -> T {
        let line = String(decoding: try encoder.encode(command), as: UTF8.self)
        return try JSONDecoder().decode(type, from: Data(try child.ask(line).utf8))
    }

    /// Sends a command.
    func ask(_ command: PeerCommand) throws {
        _ = try ask(command, for: Bool.self)
    }

    func listen(_ database: String, _ wire: PeerCommand.Wire = .init()) throws -> String {
        try ask(.listen(database: database, wire), for: String.self)
    }

    func sync(_ order: PeerCommand.Order) throws -> SyncOutcome {
        try ask(.sync(order), for: SyncOutcome.self)
    }

    func usage(forgetsPeak: Bool = false) throws -> PeerUsage {
        try ask(.usage(forgetsPeak: forgetsPeak), for: PeerUsage.self)
    }
}
