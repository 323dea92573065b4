public import Dispatch

// Settings for all databases of the process.
extension Database {
    /// The queue for listeners that are added without a queue; the main queue by default.
    ///
    /// The setting applies to the whole process, can be set from any thread, and is read when an event is delivered.
    /// Set it in a program that does not run the main queue (no main run loop, no `dispatchMain()`), because no events
    /// would be delivered. An addition to the official API.
    public static var defaultListenerQueue: DispatchQueue {
        get { ListenerQueue.standard }
        set { ListenerQueue.standard = newValue }
    }

    /// The logging settings of the process.
    @available(*, deprecated, message: "Use LogSinks.")
    public static var log: Log { Log() }

    /// Sets the lowest level that is logged to the console for a domain.
    @available(*, deprecated, message: "Use LogSinks.console.")
    public static func setLogLevel(_ level: LogLevel, domain: LogDomain) {
        LogConfiguration.shared.update { settings in
            if settings.console == nil { settings.console = ConsoleLogSink(level: .none) }
            settings.consoleLevels[domain] = level
        }
    }
}
