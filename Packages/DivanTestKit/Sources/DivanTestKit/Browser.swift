import DivanPlatform
public import Foundation

/// A headless Chromium, driven by the DevTools protocol through a pair of pipes.
///
/// ```swift
/// let browser = try Browser()
/// try browser.open(address, until: "document.querySelector('h1')")
/// #expect(try browser.text("h1") == "Soup")
/// ```
///
/// Every wait ends after thirty seconds, so that a test fails instead of hanging. Use it from one thread. Its cookies
/// and its cache are its own, and end with the last reference; Chromium itself runs until the process ends.
public final class Browser {
    /// Chromium is missing, ended, did not respond, or could not execute a command.
    public struct Failure: Error, CustomStringConvertible {
        /// One line: the request and the problem.
        public let description: String
    }

    /// Whether Chromium is installed; `make setup` installs it if it is available as a package.
    public static var isInstalled: Bool { Chromium.installed != nil }

    private var chromium: Chromium
    private let context: String
    private let session: String
    /// The events that the page reported since it was opened.
    private var events: [BrowserValue] = []

    /// Opens an empty page, with cookies and a cache of its own.
    ///
    /// - Throws: `Failure`, and the system's error if Chromium cannot be started.
    public init() throws {
        chromium = try Chromium.any()
        context = try chromium.call("Target.createBrowserContext")["browserContextId"]?.string ?? ""
        let target = try chromium.call(
            "Target.createTarget",
            ["url": "about:blank", "browserContextId": context, "width": 1280, "height": 800]
        )
        let attached = try chromium.call(
            "Target.attachToTarget",
            ["targetId": target["targetId"]?.string ?? "", "flatten": true]
        )
        session = attached["sessionId"]?.string ?? ""
        for domain in ["Page", "Runtime", "Network", "Log"] { _ = try call("\(domain).enable") }
    }

    deinit {
        do {
            _ = try chromium.call("Target.disposeBrowserContext", ["browserContextId": context])
            chromium.keep()
        } catch {
            chromium.end()
        }
    }

    // MARK: Pages

    /// Opens an address, and waits until a condition is true on its page.
    ///
    /// - Throws: `Failure`.
    public func open(_ address: String, until condition: String) throws {
        events = []
        _ = try call("Page.navigate", ["url": address])
        try wait(condition)
    }

    /// The value of a JavaScript expression; a promise is awaited.
    ///
    /// - Throws: `Failure`, also if the expression throws.
    @discardableResult
    public func evaluate(_ expression: String) throws -> BrowserValue {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": expression, "awaitPromise": true, "returnByValue": true]
        )
        if let problem = answer["exceptionDetails"] {
            throw Failure(description: "\(expression): \(problem.text)")
        }
        return answer["result"]?["value"] ?? BrowserValue(NSNull())
    }

    /// Waits until a JavaScript condition is true on the page, even while it is loading.
    ///
    /// - Throws: `Failure` with the page's text, if the condition does not become true within 20 seconds.
    public func wait(_ condition: String) throws {
        let looks = """
            new Promise((done, fail) => {
              const end = performance.now() + 20000;
              const look = () => {
                let holds = false;
                try { holds = \(condition); } catch {}
                if (holds) done(true);
                else if (performance.now() > end) fail(new Error(document.body.innerText.slice(0, 500)));
                else setTimeout(look, 10);
              };
              look();
            })
            """
        // Leaving a page cancels its promises: the condition is tried again on the next page.
        for _ in 0..<5 {
            do {
                try evaluate(looks)
                return
            } catch let failure as Failure where failure.description.contains("context") {
                continue
            }
        }
        throw Failure(description: "condition never became true: \(condition)")
    }

    /// The text of the first element that matches a selector; empty if there is none.
    ///
    /// - Throws: `Failure`.
    public func text(_ selector: String) throws -> String {
        try evaluate("document.querySelector(\(quoted(selector)))?.innerText ?? ''").string ?? ""
    }

    /// Clicks the first element that matches a selector, once it exists.
    ///
    /// - Throws: `Failure`.
    public func click(_ selector: String) throws {
        try wait("document.querySelector(\(quoted(selector)))")
        try evaluate("document.querySelector(\(quoted(selector))).click()")
    }

    /// Enters text in a field as if typed.
    ///
    /// - Throws: `Failure`.
    public func fill(_ selector: String, _ text: String) throws {
        try evaluate(
            """
            { const field = document.querySelector(\(quoted(selector))); field.value = \(quoted(text));
              field.dispatchEvent(new Event('input', { bubbles: true })); true }
            """
        )
    }

    /// Presses a key: a character, or a name such as `Enter`.
    ///
    /// - Throws: `Failure`.
    public func press(_ key: String) throws {
        let isLetter = key.count == 1
        var event: [String: Any] = ["type": "keyDown", "key": key]
        if isLetter { event["text"] = key }
        if key == "Enter" {
            event["text"] = "\r"
            event["windowsVirtualKeyCode"] = 13
        }
        _ = try call("Input.dispatchKeyEvent", event)
        _ = try call("Input.dispatchKeyEvent", ["type": "keyUp", "key": key])
    }

    /// Sets the size of the window in pixels, and its dark mode; a width below 500 emulates a phone.
    ///
    /// - Throws: `Failure`.
    public func shape(width: Int, height: Int, dark: Bool = false) throws {
        _ = try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500,
            ]
        )
        let feature = ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]
        _ = try call("Emulation.setEmulatedMedia", ["features": [feature]])
    }

    /// A screenshot of the window, as PNG.
    ///
    /// - Throws: `Failure`.
    public func picture() throws -> Data {
        let answer = try call("Page.captureScreenshot", ["format": "png"])
        return Data(base64Encoded: answer["data"]?.string ?? "") ?? Data()
    }

    /// Bytes received over the network since the page was opened, and the number of requests.
    ///
    /// - Throws: `Failure`.
    public func traffic() throws -> (byteCount: Int, requestCount: Int) {
        try evaluate("0")  // events that are under way arrive before the answer
        let ended = events.filter { $0["method"]?.string == "Network.loadingFinished" }
        let sizes = ended.map { $0["params"]?["encodedDataLength"]?.double ?? 0 }
        return (Int(exactly: sizes.reduce(0, +).rounded()) ?? 0, ended.count)
    }

    /// Script errors and refused loads since the page was opened.
    ///
    /// - Throws: `Failure`.
    public func complaints() throws -> [String] {
        try evaluate("0")  // events that are under way arrive before the answer
        return events.compactMap { event in
            switch event["method"]?.string {
            case "Runtime.exceptionThrown": event.text
            case "Log.entryAdded" where event["params"]?["entry"]?["level"]?.string == "error":
                event["params"]?["entry"]?["text"]?.string
            default: nil
            }
        }
    }

    private func quoted(_ text: String) -> String { BrowserValue(text).text }

    /// Calls a method of the page, and waits for its result.
    private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> BrowserValue {
        try chromium.call(method, parameters, in: session) { events.append($0) }
    }
}
