import CDivanTransport
import Glibc

/// Something with a file descriptor that an `EpollLoop` watches.
protocol EventSource: AnyObject {
    /// The descriptor can be read, was closed by the peer, or failed.
    func isReadable()
    /// The descriptor can be written, or failed.
    func isWritable()
}

/// What to watch a descriptor for.
struct Interest: OptionSet, Sendable {
    let rawValue: UInt32

    static let reading = Interest(rawValue: divan_event_readable)
    static let writing = Interest(rawValue: divan_event_writable)
}

/// The epoll descriptor and what is registered with it; used by one thread only.
///
/// Level-triggered: an event that is not fully handled is reported again, so that a connection may stop after one read
/// and let others run.
struct Poller {
    private struct Registration {
        let source: any EventSource
        let stamp: UInt32
        var interest: Interest
    }

    private var descriptor: Int32 = -1
    private var registrations: [Int32: Registration] = [:]
    private var lastStamp: UInt32 = 0
    private var events = [divan_event](repeating: divan_event(), count: 256)

    /// Whether it can report anything; descriptors added earlier are watched once it is open.
    var isOpen: Bool { descriptor >= 0 }

    /// Opens it unless it is already open or the process has no file descriptor left.
    mutating func open() {
        guard !isOpen else { return }
        descriptor = divan_poller_create()
        guard isOpen else { return }
        for (descriptor, registration) in registrations {
            divan_poller_add(
                self.descriptor,
                descriptor,
                registration.interest.rawValue,
                Self.mark(descriptor, registration.stamp)
            )
        }
    }

    mutating func add(_ descriptor: Int32, _ source: any EventSource, _ interest: Interest) {
        lastStamp &+= 1
        registrations[descriptor] = Registration(
            source: source,
            stamp: lastStamp,
            interest: interest
        )
        divan_poller_add(
            self.descriptor,
            descriptor,
            interest.rawValue,
            Self.mark(descriptor, lastStamp)
        )
    }

    mutating func change(_ descriptor: Int32, _ interest: Interest) {
        guard let registration = registrations[descriptor] else { return }
        registrations[descriptor]?.interest = interest
        divan_poller_change(
            self.descriptor,
            descriptor,
            interest.rawValue,
            Self.mark(descriptor, registration.stamp)
        )
    }

    /// Stops watching; call it before the descriptor is closed.
    ///
    /// - Returns: The source, which may use the loop while it is released.
    mutating func remove(_ descriptor: Int32) -> (any EventSource)? {
        guard let registration = registrations.removeValue(forKey: descriptor) else { return nil }
        divan_poller_remove(self.descriptor, descriptor)
        return registration.source
    }

    /// Stops watching everything; returns the sources.
    mutating func removeAll() -> [any EventSource] {
        for descriptor in registrations.keys { divan_poller_remove(self.descriptor, descriptor) }
        defer { registrations = [:] }
        return registrations.values.map(\.source)
    }

    /// Waits and returns the events; an empty list after a time-out or a signal.
    mutating func wait(milliseconds: Int32) -> ArraySlice<divan_event> {
        let count = divan_poller_wait(descriptor, &events, Int32(events.count), milliseconds)
        return events.prefix(max(0, Int(count)))
    }

    /// The source of an event; `nil` if an earlier event of the same turn removed it.
    ///
    /// The stamp in its mark distinguishes a descriptor from an earlier one with the same number.
    func source(_ mark: UInt64) -> (any EventSource)? {
        let descriptor = Int32(truncatingIfNeeded: mark)
        guard let registration = registrations[descriptor],
            registration.stamp == UInt32(truncatingIfNeeded: mark >> 32)
        else { return nil }
        return registration.source
    }

    func close() {
        if isOpen { Glibc.close(descriptor) }
    }

    private static func mark(_ descriptor: Int32, _ stamp: UInt32) -> UInt64 {
        UInt64(stamp) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }
}
