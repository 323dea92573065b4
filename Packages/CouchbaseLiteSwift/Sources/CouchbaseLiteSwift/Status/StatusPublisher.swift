import Dispatch
import DivanJSON
import DivanStatus
import DivanTransport
import Foundation
import Synchronization

/// Publishes to other processes on this machine what a database's replicators and listeners are doing.
///
/// Theory of operation. Each running service has an entry in the status directory. Everything happens on one queue:
/// a service is published as soon as it begins, then twice a second if something has changed, and its entry is removed
/// when it ends.
/// Calls only enqueue work, since they are made under the services' locks; only `finish` waits, and it is called when
/// no service is left.
final class StatusPublisher: Sendable {
    private struct Entry {
        var statusDirectory: StatusDirectory
        let report: @Sendable () -> JSONObject
        var last: JSONObject?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isTicking = false
    }

    private let bundle: String
    /// Called each time: the key of a database may change while it is open.
    private let namesDocuments: @Sendable () -> Bool
    private let queue = DispatchQueue(label: "divan.status", qos: .utility)
    private let state = Mutex(State())
    private let program = ProcessInfo.processInfo.processName
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    init(bundle: String, namesDocuments: @escaping @Sendable () -> Bool) {
        self.bundle = bundle
        self.namesDocuments = namesDocuments
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    /// Whether the caller is on its queue, where `finish` would wait for itself.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

    /// Starts publishing a service, if it reports its state.
    func begin(_ service: any DatabaseService) {
        guard let report = service.report else { return }
        let name = ObjectIdentifier(service)
        queue.async { [self] in
            let statusDirectory = StatusDirectory(bundle: bundle, namesDocuments: namesDocuments())
            let entry = Entry(statusDirectory: statusDirectory, report: report)
            let isFirst = state.withLock { state in
                state.entries[name] = entry
                defer { state.isTicking = true }
                return !state.isTicking
            }
            publish(name, entry)
            if isFirst { tickLater() }
        }
    }

    /// Stops publishing a service; ignores an unknown one.
    func end(_ service: any DatabaseService) {
        let name = ObjectIdentifier(service)
        queue.async { [self] in
            state.withLock { $0.entries.removeValue(forKey: name) }?.statusDirectory.withdraw()
        }
    }

    /// Waits until nothing more is published.
    func finish() {
        queue.sync {
            let entries = state.withLock { state in
                defer { state.entries = [:] }
                return state.entries
            }
            for entry in entries.values { entry.statusDirectory.withdraw() }
        }
    }

    private func publish(_ name: ObjectIdentifier, _ entry: Entry) {
        var members = entry.report()
        members["program"] = .string(program)
        var statusDirectory = entry.statusDirectory
        statusDirectory.namesDocuments = namesDocuments()
        let isSame = statusDirectory.namesDocuments == entry.statusDirectory.namesDocuments
        guard !isSame || JSON.object(members) != entry.last.map({ JSON.object($0) }) else { return }
        // If writing failed, try again with the next reading.
        let told = statusDirectory.publish(members) ? members : nil
        state.withLock { state in
            state.entries[name]?.statusDirectory = statusDirectory
            state.entries[name]?.last = told
        }
    }

    private func tickLater() {
        Later.run(after: .milliseconds(500), on: queue) { [weak self] in self?.tick() }
    }

    private func tick() {
        let goesOn = state.withLock { state in
            state.isTicking = !state.entries.isEmpty
            return state.isTicking
        }
        publishEntries()
        if goesOn { tickLater() }
    }

    /// Publishes now what has changed, without waiting for the next turn.
    func publishChanges() {
        queue.sync { publishEntries() }
    }

    private func publishEntries() {
        for (name, entry) in state.withLock({ $0.entries }) { publish(name, entry) }
    }
}
