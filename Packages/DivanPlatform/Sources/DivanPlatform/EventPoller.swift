internal import CDivanPlatform
internal import Glibc

/// Watches many descriptors at once (epoll).
///
/// Level-triggered: an event that is not fully handled is reported again. Used by one thread at a time.
public struct EventPoller: ~Copyable {
    /// What a descriptor is watched for.
    public struct Interest: OptionSet, Sendable {
        /// The bits of an event.
        public let rawValue: UInt32

        /// Wraps bits.
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Until it can be read.
        public static let reading = Interest(rawValue: divan_event_readable)
        /// Until it can be written.
        public static let writing = Interest(rawValue: divan_event_writable)
    }

    /// A descriptor that became ready.
    public struct Event: Sendable {
        /// What the descriptor was added with.
        public var mark: UInt64 { event.data }
        private var flags: UInt32 { event.flags }
        private let event: divan_event

        /// Whether it can be read, was closed by the peer, or failed.
        public var isReadable: Bool { flags & (divan_event_readable | divan_event_failed) != 0 }
        /// Whether it can be written, or failed.
        public var isWritable: Bool { flags & (divan_event_writable | divan_event_failed) != 0 }

        fileprivate init() {
            event = divan_event()
        }
    }

    private let descriptor: Int32
    private var events = [Event](repeating: Event(), count: 256)

    /// Opens one.
    public init() throws(SystemError) {
        descriptor = divan_poller_create()
        guard descriptor >= 0 else { throw SystemError("epoll_create1") }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Watches a descriptor; its events carry `mark`.
    public func add(_ watched: FileDescriptor, _ interest: Interest, mark: UInt64) {
        divan_poller_add(descriptor, watched.rawValue, interest.rawValue, mark)
    }

    /// Changes what a descriptor is watched for.
    public func change(_ watched: FileDescriptor, _ interest: Interest, mark: UInt64) {
        divan_poller_change(descriptor, watched.rawValue, interest.rawValue, mark)
    }

    /// Stops watching; call it before the descriptor is closed.
    public func remove(_ watched: FileDescriptor) {
        divan_poller_remove(descriptor, watched.rawValue)
    }

    /// Waits and returns the events; none after a time-out or a signal.
    public mutating func wait(milliseconds: Int32) -> ArraySlice<Event> {
        let count = events.withUnsafeMutableBufferPointer { room in
            // An event is a `divan_event` and nothing else.
            room.withMemoryRebound(to: divan_event.self) {
                divan_poller_wait(descriptor, $0.baseAddress, Int32($0.count), milliseconds)
            }
        }
        return events.prefix(max(0, Int(count)))
    }
}

/// A counter that wakes a poller (eventfd).
public struct Wakeup: Sendable {
    /// Readable while there are calls of `signal` since the last `clear`.
    public let descriptor: FileDescriptor

    /// Opens one; whoever holds it closes the descriptor once.
    public init() throws(SystemError) {
        descriptor = FileDescriptor(divan_bell_create())
        guard descriptor.isOpen else { throw SystemError("eventfd") }
    }

    /// Wraps an open one.
    public init(descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Makes it readable.
    public func signal() {
        var one: UInt64 = 1
        _ = Glibc.write(descriptor.rawValue, &one, 8)
    }

    /// Makes it unreadable.
    public func clear() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor.rawValue, &count, 8)
    }
}

// MARK: A few descriptors

/// One of the few descriptors that `poll` watches.
public struct PolledDescriptor: Sendable {
    /// Which events to wait for, and which came; an error and a closed other end always count.
    public struct Events: OptionSet, Sendable {
        /// The bits of `poll(2)`.
        public let rawValue: Int16

        /// Wraps bits.
        public init(rawValue: Int16) {
            self.rawValue = rawValue
        }

        /// It can be read.
        public static let reading = Events(rawValue: Int16(POLLIN))
        /// It can be written.
        public static let writing = Events(rawValue: Int16(POLLOUT))
        /// It failed, or the other end is closed.
        public static let closed = Events(rawValue: Int16(POLLERR | POLLHUP))
    }

    fileprivate let descriptor: Int32
    fileprivate let events: Int16
    /// What came; empty if nothing did.
    public fileprivate(set) var received: Events = []

    /// Watches a descriptor; one that is not open is left out.
    public init(_ descriptor: FileDescriptor, _ events: Events) {
        self.descriptor = descriptor.rawValue
        self.events = events.rawValue
    }

    /// Waits until one of the descriptors is ready; a negative time waits without limit.
    ///
    /// - Returns: How many are ready; 0 after the time.
    /// - Throws: Also `interrupted`, so that the caller can look whether a signal has changed anything.
    public static func wait(
        _ descriptors: inout [PolledDescriptor],
        milliseconds: Int32
    ) throws(SystemError) -> Int {
        var polled = descriptors.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        let count = poll(&polled, nfds_t(polled.count), milliseconds)
        guard count >= 0 else { throw SystemError("poll") }
        for index in descriptors.indices {
            descriptors[index].received = Events(rawValue: polled[index].revents)
        }
        return Int(count)
    }
}

extension FileDescriptor {
    /// Waits until it is ready; a negative time waits without limit.
    ///
    /// - Returns: What came; empty after the time.
    /// - Throws: Also `interrupted`, so that the caller can look whether a signal has changed anything.
    @discardableResult
    public func wait(
        for events: PolledDescriptor.Events,
        milliseconds: Int32 = -1
    ) throws(SystemError) -> PolledDescriptor.Events {
        var polled = pollfd(fd: rawValue, events: events.rawValue, revents: 0)
        guard poll(&polled, 1, milliseconds) >= 0 else { throw SystemError("poll") }
        return PolledDescriptor.Events(rawValue: polled.revents)
    }
}
