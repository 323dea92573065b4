import DivanJSON
import DivanTestKit
import Testing

/// How the studio's pages look: to people with poor eyesight, in dark mode, and in a narrow window.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: Browser.isInstalled, "make setup installs chromium where it is a package")
)
struct StudioAppearanceTests {
    /// The lowest contrast of a text with its background (WCAG 2.2 §1.4.3), and which text it is.
    private static let leastContrast = """
        (() => {
          const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
          const part = (value) => value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
          const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
          const ground = (element) => {
            for (; element; element = element.parentElement) {
              const color = numbers(getComputedStyle(element).backgroundColor);
              if (color.length < 4 || color[3] > 0) return color;
            }
            return [255, 255, 255];
          };
          let worst = [99, ''];
          for (const element of document.querySelectorAll('body *')) {
            const style = getComputedStyle(element);
            const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
            if (!says || element instanceof SVGElement || !element.getClientRects().length) continue;
            const [a, b] = [light(numbers(style.color)), light(ground(element))];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < worst[0]) worst = [ratio, element.className + ' ' + element.textContent.slice(0, 30)];
          }
          return worst;
        })()
        """

    @Test(arguments: [false, true])
    func `all text has enough contrast in light and dark mode`(isDark: Bool) throws {
        let browser = try Browser()
        let room = try StudioFixture(peers: [
            [
                "verb": "serve", "pid": 1, "urls": ["wss://here/kitchen"],
                "peers": [["user": "anna", "address": "192.168.0.7", "active": true]],
            ]
        ])
        try room.makeConflict("chair")
        try browser.shape(width: 1100, height: 640, dark: isDark)
        try browser.open(room.address)
        let ground = try browser.evaluate("getComputedStyle(document.body).backgroundColor").text
        #expect(ground.contains(isDark ? "(22, 25, 26)" : "(250, 250, 248)"), "\(ground)")
        for path in [
            "/", "/collection?collection=_default", "/document?id=chair", "/conflict?id=chair",
            "/query?q=SELECT+1", "/changes", "/indexes", "/peers", "/new",
            "/schema", "/import", "/collection?where=price+%3E+0&sort=price", "/nowhere",
        ] {
            try browser.open("\(room.origin)\(path)")
            try browser.wait("document.getElementById('main').dataset.shown")
            let worst = try browser.evaluate(Self.leastContrast).text
            let ratio = Double(worst.dropFirst().prefix { $0 != "," }) ?? 0
            #expect(ratio >= 4.5, "\(path): \(worst)")
        }
        // The address without a page.
        #expect(try browser.complaints().allSatisfy { $0.contains("404") })
    }
}
