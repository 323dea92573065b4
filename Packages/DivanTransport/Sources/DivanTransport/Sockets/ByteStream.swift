import DivanPlatform
import DivanTLS

/// A TCP connection, with TLS if configured, on one loop: the byte level of the pipeline.
///
/// It reads at most `EpollLoop.readByteCount` in a turn, and writes once when the turn ends, however much was queued.
/// Without traffic it holds no buffers.
final class ByteStream: EventSource, TurnEndSource, LingeringStream {
    let loop: EpollLoop
    let counter: ByteCounter
    /// Called at the end with what a later connection needs to resume this one's TLS session.
    var keepResumption: ((TLSResumption) -> Void)?
    /// The user of the stream; kept until `finish`, `close` or a successor.
    var owner: (any ByteStreamOwner)?

    private let socket: Socket
    private var tls: TLSSession?
    private let limits: TransportLimits
    private var life = StreamLifecycle.opening
    private var isReadingPaused = false
    private var owesAcknowledgement = false  // of what was read before a pause
    private var interest: Interest = .reading

    // Unchecked: touched only on the loop, and lent to the socket and to TLS, which do not know the stream.
    @exclusivity(unchecked) private var output: [UInt8] = []
    private var writtenCount = 0  // bytes at the front of `output` that the system took
    private var plainOutput: [UInt8] = []
    private var turnEnd = TurnEnd.nothing
    private(set) var stall: StallTimer
    private var lingerTimer: TimerToken?

    /// What to do at the end of the loop's turn.
    private enum TurnEnd {
        case nothing
        case flush
        /// A flush, and an acknowledgement of what was read unless data is written: a segment acknowledges, too.
        case flushOrAcknowledge
    }

    init(
        _ socket: Socket,
        tls: TLSSession?,
        loop: EpollLoop,
        limits: TransportLimits,
        counter: ByteCounter = ByteCounter()
    ) {
        self.socket = socket
        self.tls = tls
        self.loop = loop
        self.limits = limits
        self.counter = counter
        stall = StallTimer(patience: limits.stallTimeout)
    }

    /// The peer's certificates, leaf first.
    var peerCertificates: [TLSCertificate] { tls?.peerCertificates ?? [] }

    /// Whether TLS resumed an earlier session.
    var isResumed: Bool { tls?.isResumed ?? false }

    /// Bytes that the system has not accepted yet.
    var queuedByteCount: Int { output.count - writtenCount }

    /// The same, plus what this turn has queued.
    var unsentByteCount: Int { queuedByteCount + plainOutput.count }

    /// Whether the system holds bytes from the peer that have not been read yet.
    var hasUnreadBytes: Bool { life.isReading && socket.hasUnreadBytes }

    /// Begins to read; a client's TLS handshake starts.
    func start() {
        loop.add(socket.descriptor, self, interest)
        if tls == nil {
            _ = life.handle(.opened)
            owner?.streamDidOpen()
        } else {
            setNeedsFlush()
        }
    }

    /// Starts TLS on a stream that was opened in clear text; `streamDidOpen` is called again.
    func startTLS(_ session: TLSSession) {
        tls = session
        _ = life.handle(.tlsStarted)
        setNeedsFlush()
    }

    /// Queues bytes before those from `streamWillWrite`.
    func write(_ bytes: [UInt8]) {
        guard life.isWriting else { return }
        plainOutput += bytes
        setNeedsFlush()
    }

    /// Asks for `streamWillWrite` when this turn ends.
    func setNeedsFlush() {
        guard turnEnd == .nothing, life.isWriting else { return }
        turnEnd = .flush
        loop.atTurnEnd(self)
    }

    /// Pauses or resumes reading; what the system buffers meanwhile is not lost.
    func setReadingPaused(_ isPaused: Bool) {
        isReadingPaused = isPaused
        // The loop learns of a pause only when something arrives: most pauses are over before.
        guard !isPaused else { return }
        updateInterest()
        if owesAcknowledgement { acknowledge() }
    }

    /// Writes what is queued, ends our direction, waits a while for the peer's end, and closes.
    ///
    /// The owner gets no more calls.
    func finish() {
        if case .unwritable = life { return close() }
        guard life.isWriting, !life.isFinishing else { return }
        passResumption()
        if life.isOpen { owner?.streamWillWrite(to: &plainOutput) }
        owner = nil
        _ = life.handle(.finishAsked)
        isReadingPaused = false
        lingerTimer = loop.scheduleHere(at: loop.now + limits.closeTimeout) { [weak self] in
            self?.close()
        }
        setNeedsFlush()
    }

    /// Closes at once; the owner gets no more calls.
    func close() {
        owner = nil
        perform(life.handle(.closeAsked))
    }

    /// Closes in a way that the peer does not take what it has for complete.
    func abort() {
        if life != .closed { socket.resetAtClose() }
        close()
    }

    private func perform(_ effects: [StreamLifecycle.Effect]) {
        for effect in effects {
            switch effect {
            case .endSending:
                socket.shutdownSending()
                loop.lingering.add(self)?.close()
            case .release: release()
            }
        }
    }

    private func release() {
        passResumption()
        stall.end(on: loop)
        if let lingerTimer { loop.cancel(lingerTimer) }
        loop.remove(socket.descriptor)
        socket.close()
        (output, plainOutput) = ([], [])
    }

    private func passResumption() {
        guard let keep = keepResumption, let resumption = tls?.resumption else { return }
        keepResumption = nil
        keep(resumption)
    }

    /// Releases empty buffers that are larger than `byteCount`.
    func releaseMemory(above byteCount: Int = 0) {
        if queuedByteCount == 0, output.capacity > byteCount { (output, writtenCount) = ([], 0) }
        if plainOutput.isEmpty, plainOutput.capacity > byteCount { plainOutput = [] }
    }

    private func end(_ problem: StreamProblem?) {
        guard life.isReading else { return endBoth(problem) }
        perform(life.handle(.peerEnded))
        updateInterest()
        if let owner { return owner.streamDidEnd(problem) }
        // A peer that only ended its own direction still gets our last bytes.
        let isWriting = queuedByteCount > 0 || turnEnd != .nothing
        guard life.isFinishing, isWriting, problem == nil else { return close() }
    }

    /// The peer had already ended its direction; now the other is broken, too, and the owner must stop waiting.
    private func endBoth(_ problem: StreamProblem?) {
        guard case .ended = life, let problem else { return }
        guard let owner else { return close() }
        owner.streamDidEnd(problem)
    }

    private func updateInterest() {
        guard life != .closed else { return }
        var wanted: Interest = []
        let isFull = queuedByteCount > limits.queuedByteCount
        if !isReadingPaused, life.isReading, !isFull { wanted.insert(.reading) }
        if queuedByteCount > 0 { wanted.insert(.writing) }
        guard wanted != interest else { return }
        interest = wanted
        loop.change(socket.descriptor, wanted)
    }

    // MARK: Reading

    func isReadable() {
        guard life.isReading else { return hangUp() }
        if isReadingPaused, interest.contains(.reading) { return updateInterest() }
        let transfer = loop.withReadBuffer { buffer in
            let transfer = socket.receive(into: buffer)
            if case .bytes(let count) = transfer, count > 0 {
                counter.didReceive(count)
                take(UnsafeRawBufferPointer(buffer).prefix(count))
            }
            return transfer
        }
        switch transfer {
        case .bytes(0): didReceiveEnd()
        case .bytes: acknowledge()
        case .wouldBlock: break
        case .failed(let error): end(.system(error))
        }
    }

    /// Acknowledges what was read, unless what this turn writes does.
    private func acknowledge() {
        guard life != .closed else { return }
        owesAcknowledgement = isReadingPaused
        guard !isReadingPaused else { return }
        if turnEnd == .nothing { return socket.setQuickAcknowledgement() }
        turnEnd = .flushOrAcknowledge
    }

    /// The descriptor reports an error although nothing is being read: the peer has disconnected.
    private func hangUp() {
        guard life != .closed, interest.isDisjoint(with: .writing) else { return }
        guard case .ended = life, owner != nil else { return close() }
        end(.system(socket.failure ?? SystemError("epoll_wait", .connectionReset)))
    }

    private func take(_ bytes: Slice<UnsafeRawBufferPointer>) {
        // The bytes are in the loop's buffer, which is not used again before this call returns.
        let raw = UnsafeRawBufferPointer(rebasing: bytes).bindMemory(to: UInt8.self)
        guard let tls else {
            owner?.streamDidReceive(raw.span)
            owner?.streamDidDrainInput()
            return
        }
        var plaintext: [UInt8] = []
        swap(&plaintext, &loop.plaintext)
        defer {
            plaintext.removeAll(keepingCapacity: true)
            swap(&plaintext, &loop.plaintext)
        }
        var problem: StreamProblem?
        do {
            try tls.receive(raw.span, appendingTo: &plaintext)
        } catch {
            problem = .tls(error)
        }
        if tls.hasOutput, !tls.outputCanWait { setNeedsFlush() }
        deliver(plaintext, of: tls)
        if let problem { return fail(problem) }
        if tls.state == .closed { end(nil) }
    }

    private func deliver(_ plaintext: [UInt8], of tls: TLSSession) {
        if life.awaitsOpening, tls.state == .open || !plaintext.isEmpty {
            _ = life.handle(.opened)
            owner?.streamDidOpen()
        }
        guard !plaintext.isEmpty else { return }
        owner?.streamDidReceive(plaintext.span)
        owner?.streamDidDrainInput()
    }

    private func didReceiveEnd() {
        // An open WebSocket has its own closing handshake, so a missing close_notify adds nothing.
        guard let tls, tls.state == .handshaking else { return end(nil) }
        do {
            try tls.receiveEnd()
            end(nil)
        } catch {
            end(.tls(error))
        }
    }

    /// Reports a TLS failure after its alert has been written.
    private func fail(_ problem: StreamProblem) {
        keepResumption = nil  // a session that broke is not gone on with (RFC 5246 §7.2.2)
        if life.isWriting { tls?.takeOutput(appendingTo: &output) }
        if queuedByteCount > 0 { write() }
        end(problem)
    }

    // MARK: Writing

    func turnDidEnd() {
        let owesAcknowledgement = turnEnd == .flushOrAcknowledge
        turnEnd = .nothing
        guard life.isWriting else { return }
        if !flush(), owesAcknowledgement, life != .closed { socket.setQuickAcknowledgement() }
    }

    func isWritable() {
        if life.isWriting, interest.contains(.writing) { write() }
    }

    private func flush() -> Bool {
        if life.isOpen, let owner { owner.streamWillWrite(to: &plainOutput) }
        encrypt()
        return write()
    }

    private func encrypt() {
        guard let tls else {
            if output.isEmpty {
                swap(&output, &plainOutput)
            } else {
                output += plainOutput
                plainOutput.removeAll(keepingCapacity: true)
            }
            return
        }
        if !plainOutput.isEmpty, tls.state != .handshaking {
            // A session that failed reports it when it is read; what was queued is lost anyway.
            try? tls.send(plainOutput.span)
            plainOutput.removeAll(keepingCapacity: true)
        }
        if life.isFinishing { tls.close() }
        tls.takeOutput(appendingTo: &output)
    }

    /// Returns whether the system accepted any bytes.
    @discardableResult
    private func write() -> Bool {
        var (isBlocked, hasWritten) = (false, false)
        // The end of our direction follows at once, and is sent with the last bytes.
        let endsBehind = life == .finishing && turnEnd == .nothing
        while writtenCount < output.count, !isBlocked {
            let start = writtenCount
            let transfer = output.withUnsafeBytes { bytes in
                socket.send(
                    UnsafeRawBufferPointer(rebasing: bytes[start...]),
                    isMoreComing: endsBehind
                )
            }
            switch transfer {
            case .bytes(let count):
                counter.didSend(count)
                writtenCount += count
                hasWritten = true
                stall.noteProgress(at: loop.now)
            case .wouldBlock: isBlocked = true
            case .failed(let error):
                failWriting(error)
                return hasWritten
            }
        }
        if hasWritten, turnEnd == .flushOrAcknowledge { turnEnd = .flush }
        didWrite()
        return hasWritten
    }

    private func didWrite() {
        if writtenCount == output.count {
            output.removeAll(keepingCapacity: true)
            writtenCount = 0
        } else if writtenCount > max(1 << 20, output.count / 2) {  // each byte moves once at most
            output.removeFirst(writtenCount)
            writtenCount = 0
        }
        updateInterest()
        watchForStall()
        if queuedByteCount == 0, life.isFinishing, turnEnd == .nothing {
            return perform(life.handle(.written))
        }
        if queuedByteCount <= limits.lowWaterByteCount { owner?.streamDidDrainOutput() }
    }

    /// The system accepts nothing more: what the peer sent before is read to its end, or until a time-out.
    private func failWriting(_ error: SystemError) {
        (output, writtenCount, plainOutput) = ([], 0, [])
        guard owner != nil else { return close() }
        guard life.isReading else { return end(.system(error)) }
        _ = life.handle(.writingFailed)
        updateInterest()
        lingerTimer = loop.scheduleHere(at: loop.now + limits.closeTimeout) { [weak self] in
            self?.end(.system(error))
        }
    }

    /// Gives up on a peer that takes nothing for a long time although bytes wait for it.
    private func watchForStall() {
        guard queuedByteCount > 0 else { return }
        stall.begin(on: loop) { [weak self] in self?.checkForStall() }
    }

    private func checkForStall() {
        let isOver = stall.isOver(at: loop.now)
        guard queuedByteCount > 0 else { return }
        if isOver { end(.stalled) } else { watchForStall() }
    }
}
