import CDivanHolder
import DivanCommandLine
import DivanJSON
import DivanLog
import DivanPlatform
import Foundation
import Synchronization

/// Runs the commands of other shells on a database while this process holds it.
///
/// **Guarantee.** A command gets the same results and the same errors as if it had the database
/// itself: its own code runs here, on a thread with the command's standard streams, which it passes
/// as descriptors, and in its working directory. The store is the one that this process has
/// open, so every change is part of its transactions and reaches its listeners.
///
/// **Crashes.** If the command dies, its work ends as after Ctrl-C. If this process
/// dies, the command reports it; the socket's file that remains refuses connections, so that the next
/// command opens the database itself, and the next holder replaces the file. Every command changes a
/// database in transactions: uncommitted changes are rolled back.
///
/// **Limits.** `commandLimit` commands at a time; further commands are refused.
final class Holder: Sendable {
    /// Commands that run at the same time; each has a thread.
    static let commandLimit = 64

    private let address: HolderAddress
    private let socket: Socket
    private let greeting: JSON
    private let state = Mutex((count: 0, isOver: false))
    private let working = DispatchGroup()
    private let log = Log(.database)

    /// Starts to listen in the bundle of a database that this process has open for writing; `nil` if
    /// no socket can be created, and then other shells have to wait.
    init?(_ path: DatabasePath, as program: String) {
        guard let address = HolderAddress(path) else { return nil }
        guard let socket = address.listen() else {
            address.close()
            return nil
        }
        self.address = address
        self.socket = socket
        greeting = [
            "version": JSON(HolderAddress.version), "holder": .string(program),
            "process": JSON(Int(CurrentProcess.id)), "since": .string(HolderName.clock(Date())),
        ]
        Thread { [self] in accept() }.start()
    }

    /// Accepts no more commands, removes the socket, and waits at most five seconds for running ones.
    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        address.remove()
        socket.shutdownBoth()
        _ = working.wait(timeout: .now() + 5)
    }

    private func accept() {
        while true {
            let connection: Socket
            do {
                connection = try socket.acceptBlocking()
            } catch {
                switch error.errno {
                case .interrupted, .connectionAbort: continue
                case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                    if state.withLock({ $0.isOver }) { return end() }
                    CurrentThread.sleep(milliseconds: 100)
                    continue
                default: return end()
                }
            }
            guard HolderAddress.isTrusted(connection) else {
                connection.close()
                continue
            }
            let isFull = state.withLock { state in
                state.count += 1
                return state.count > Self.commandLimit
            }
            working.enter()
            Thread { [self] in
                serve(connection, isFull: isFull)
                connection.close()
                state.withLock { $0.count -= 1 }
                working.leave()
            }.start()
        }
    }

    private func end() {
        socket.close()
        address.close()
    }

    private func serve(_ connection: Socket, isFull: Bool) {
        connection.setTimeouts(receiving: 5)
        guard HolderProtocol.send(greeting, to: connection) else { return }
        var numbers = [Int32](repeating: -1, count: 4)
        let number = connection.descriptor.rawValue
        let count = divan_holder_receive_files(number, &numbers, numbers.count)
        let files = numbers.map { FileDescriptor($0) }
        defer { for file in files where file.isOpen { file.close() } }
        var reader = HolderProtocol.Reader(connection)
        guard count == files.count, let request = reader.next() else { return }
        connection.setTimeouts(receiving: 0)
        guard request["version"]?.int == Int64(HolderAddress.version), !isFull,
            let words = request["words"]?.array?.compactMap(\.string)
        else {
            let text =
                isFull
                ? "\(Self.commandLimit) commands are already running" : "it has a different version"
            _ = HolderProtocol.send(["refused": .string(text)], to: connection)
            return
        }
        let interruption = Interruption(byHand: ())
        Thread { [reader] in
            // Ctrl-C there, or the end of that process.
            var reader = reader
            _ = reader.next()
            interruption.request()
        }.start()
        let secrets = (request["environment"]?.object ?? [:]).compactMap { name, value in
            value.string.map { (name, $0) }
        }
        let streams = Streams(
            input: files[0],
            output: files[1],
            errors: files[2],
            interruption: interruption,
            environment: Dictionary(secrets) { $1 }
        )
        let status = perform(words, in: files[3], streams)
        // Only the name of the command: its operands may be private.
        log.info("ran \(words.first ?? "nothing") for another process: exit code \(status)")
        _ = HolderProtocol.send(["exit": JSON(Int(status))], to: connection)
        connection.shutdownBoth()
    }

    private func perform(
        _ words: [String],
        in directory: FileDescriptor,
        _ streams: Streams
    ) -> Int32 {
        let problem = divan_holder_enter(directory.rawValue) == 0 ? Errno.none : .current
        return Streams.$current.withValue(streams) {
            problem == .none
                ? Program.runHeld(words) : Program.refuseHeld(words, because: elsewhere(problem))
        }
    }

    /// The remedy if this process cannot have a second directory.
    private func elsewhere(_ reason: Errno) -> Failure {
        let program = greeting.object?["holder"]?.string ?? "a program"
        return Failure(
            kind: .failed,
            sentence: "\(program), which has the database open, cannot use this directory "
                + "(\(reason))",
            hint: "run the command in \(FileManager.default.currentDirectoryPath); containers "
                + "without unshare have this limit"
        )
    }
}
