import DivanCommandLine
import Foundation
import Glibc
import Synchronization

/// Answers monitors on 127.0.0.1, one thread for all of them.
///
/// A connection gets one answer and five seconds; sixteen may be open, then the oldest goes: whoever
/// holds some open and says nothing must not keep a monitor away.
final class MetricsServer: @unchecked Sendable {
    // Unchecked: the connections belong to the thread, everything else is constant or locked.

    private static let connectionLimit = 16
    private static let patience = 5.0
    /// Seconds in which nobody is let in after the system had no descriptor.
    private static let pause = 0.5

    private struct Visit {
        var request = ScrapeRequest()
        var output: [UInt8] = []
        var isAnswered = false
        let deadline: Double
    }

    /// The port, chosen by the system when 0 was asked for.
    let port: UInt16

    private let listening: Int32
    private let wake: (read: Int32, write: Int32)
    private let answer: @Sendable (String) -> ScrapeAnswer
    private let hasEnded = DispatchSemaphore(value: 0)
    private let isStarted = Mutex(false)
    private var visits: [Int32: Visit] = [:]
    /// Until when nobody is let in.
    private var rest = 0.0

    /// Listens; nobody is answered before `start`.
    ///
    /// - Parameters:
    ///   - port: The port; 0 takes any that is free.
    ///   - answer: Called on the server's own thread with the path of each request.
    /// - Throws: `Failure` when the port cannot be had.
    init(port: UInt16, answer: @escaping @Sendable (String) -> ScrapeAnswer) throws(Failure) {
        self.answer = answer
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Self.flags, 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The address is lent to each call for its length only.
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &size) == 0
            }
        }
        var pair: [Int32] = [-1, -1]
        guard isBound, pipe(&pair) == 0 else {
            let problem = String(cString: strerror(errno))
            close(descriptor)
            throw Failure(
                kind: .failed,
                sentence: "metrics port \(port): \(problem); choose another with --metrics-port"
            )
        }
        self.port = UInt16(bigEndian: address.sin_port)
        listening = descriptor
        wake = (pair[0], pair[1])
        for end in pair { Self.settle(end) }
    }

    deinit {
        for descriptor in [listening, wake.read, wake.write] { close(descriptor) }
    }

    /// Begins to answer.
    func start() {
        isStarted.withLock { $0 = true }
        let thread = Thread { [self] in
            serve()
            hasEnded.signal()
        }
        thread.name = "divan-metrics"
        thread.start()
    }

    /// Ends; returns when the thread has.
    func stop() {
        let wasStarted = isStarted.withLock { isStarted in
            defer { isStarted = false }
            return isStarted
        }
        guard wasStarted else { return }
        var byte: UInt8 = 0
        Glibc.write(wake.write, &byte, 1)
        hasEnded.wait()
    }

    /// Neither waits for it nor hands it to a child.
    private static func settle(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    private var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

// MARK: - The thread

extension MetricsServer {
    private func serve() {
        while true {
            var polled = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
            if now >= rest {
                polled.append(pollfd(fd: listening, events: Int16(POLLIN), revents: 0))
            }
            for (descriptor, visit) in visits {
                let events = visit.isAnswered ? POLLOUT : POLLIN
                polled.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
            }
            poll(&polled, nfds_t(polled.count), visits.isEmpty && now >= rest ? -1 : 500)
            if polled[0].revents != 0 { break }
            for entry in polled.dropFirst() where entry.revents != 0 {
                if entry.fd == listening { accept() } else { attend(to: entry.fd) }
            }
            let moment = now
            for (descriptor, visit) in visits where visit.deadline <= moment { leave(descriptor) }
        }
        for descriptor in visits.keys { leave(descriptor) }
    }

    private func accept() {
        let descriptor = Glibc.accept(listening, nil, nil)
        guard descriptor >= 0 else {
            // Without a free descriptor the visitor stays in line, and asking again would spin.
            if errno != EAGAIN, errno != EINTR { rest = now + Self.pause }
            return
        }
        Self.settle(descriptor)
        if visits.count >= Self.connectionLimit,
            let oldest = visits.min(by: { $0.value.deadline < $1.value.deadline })?.key
        {
            leave(oldest)
        }
        visits[descriptor] = Visit(deadline: now + Self.patience)
    }

    private func attend(to descriptor: Int32) {
        guard var visit = visits[descriptor] else { return }
        if !visit.isAnswered { read(descriptor, &visit) }
        if visit.isAnswered { write(descriptor, &visit) }
        if visits[descriptor] != nil { visits[descriptor] = visit }
    }

    private func read(_ descriptor: Int32, _ visit: inout Visit) {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { leave(descriptor) }
            return
        }
        switch visit.request.receive(piece.prefix(count)) {
        case .incomplete: return
        case .refused(let status):
            visit.output = ScrapeAnswer.refusal(status).bytes(hasBody: true)
        case .wants(let path, let hasBody):
            visit.output = answer(path).bytes(hasBody: hasBody)
        }
        visit.isAnswered = true
    }

    private func write(_ descriptor: Int32, _ visit: inout Visit) {
        let count = send(descriptor, visit.output, visit.output.count, Int32(MSG_NOSIGNAL))
        guard count > 0 else {
            if errno != EAGAIN { leave(descriptor) }
            return
        }
        visit.output.removeFirst(count)
        guard visit.output.isEmpty else { return }
        shutdown(descriptor, Int32(SHUT_WR))
        leave(descriptor)
    }

    private func leave(_ descriptor: Int32) {
        visits[descriptor] = nil
        close(descriptor)
    }
}
