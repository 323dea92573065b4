import DivanPlatform

/// Something with a file descriptor that an `EpollLoop` watches.
protocol EventSource: AnyObject {
    /// The descriptor can be read, was closed by the peer, or failed.
    func isReadable()
    /// The descriptor can be written, or failed.
    func isWritable()
}

/// What to watch a descriptor for.
typealias Interest = EventPoller.Interest

/// The system's poller and what is registered with it; used by one thread only.
///
/// Level-triggered: an event that is not fully handled is reported again, so that a connection may stop after one read
/// and let others run.
struct Poller: ~Copyable {
    private struct Registration {
        let source: any EventSource
        let stamp: UInt32
        var interest: Interest
    }

    private var system: EventPoller?
    private var registrations: [FileDescriptor: Registration] = [:]
    private var lastStamp: UInt32 = 0

    /// Whether it can report anything; descriptors added earlier are watched once it is open.
    var isOpen: Bool { system != nil }

    /// Opens it unless it is already open or the process has no file descriptor left.
    mutating func open() {
        guard !isOpen, let opened = try? EventPoller() else { return }
        for (descriptor, registration) in registrations {
            let mark = Self.mark(descriptor, registration.stamp)
            opened.add(descriptor, registration.interest, mark: mark)
        }
        system = consume opened
    }

    mutating func add(
        _ descriptor: FileDescriptor,
        _ source: any EventSource,
        _ interest: Interest
    ) {
        lastStamp &+= 1
        registrations[descriptor] = Registration(
            source: source,
            stamp: lastStamp,
            interest: interest
        )
        system?.add(descriptor, interest, mark: Self.mark(descriptor, lastStamp))
    }

    mutating func change(_ descriptor: FileDescriptor, _ interest: Interest) {
        guard let registration = registrations[descriptor] else { return }
        registrations[descriptor]?.interest = interest
        system?.change(descriptor, interest, mark: Self.mark(descriptor, registration.stamp))
    }

    /// Stops watching; call it before the descriptor is closed.
    ///
    /// - Returns: The source, which may use the loop while it is released.
    mutating func remove(_ descriptor: FileDescriptor) -> (any EventSource)? {
        guard let registration = registrations.removeValue(forKey: descriptor) else { return nil }
        system?.remove(descriptor)
        return registration.source
    }

    /// Stops watching everything; returns the sources.
    mutating func removeAll() -> [any EventSource] {
        for descriptor in registrations.keys { system?.remove(descriptor) }
        defer { registrations = [:] }
        return registrations.values.map(\.source)
    }

    /// Waits and returns the events; an empty list after a time-out or a signal.
    mutating func wait(milliseconds: Int32) -> ArraySlice<EventPoller.Event> {
        system?.wait(milliseconds: milliseconds) ?? []
    }

    /// The source of an event; `nil` if an earlier event of the same turn removed it.
    ///
    /// The stamp in its mark distinguishes a descriptor from an earlier one with the same number.
    func source(_ mark: UInt64) -> (any EventSource)? {
        let descriptor = FileDescriptor(Int32(truncatingIfNeeded: mark))
        guard let registration = registrations[descriptor],
            registration.stamp == UInt32(truncatingIfNeeded: mark >> 32)
        else { return nil }
        return registration.source
    }

    private static func mark(_ descriptor: FileDescriptor, _ stamp: UInt32) -> UInt64 {
        UInt64(stamp) << 32 | UInt64(UInt32(bitPattern: descriptor.rawValue))
    }
}
