/// A page of the studio as a picture shows it.
struct Screenshot {
    /// The name of the picture's file, without its ending.
    let name: String
    let path: String
    let isDark: Bool
    let width: Int
    let height: Int

    init(_ name: String, _ path: String, isDark: Bool = false, width: Int = 1100, height: Int = 640)
    {
        self.name = name
        self.path = path
        self.isDark = isDark
        self.width = width
        self.height = height
    }

    /// What the documentation shows.
    static let all = [
        Screenshot("studio-collection", "/collection?collection=_default"),
        Screenshot("studio-document", "/document?id=chair"),
        Screenshot("studio-conflict", "/conflict?id=chair", isDark: true),
        Screenshot(
            "studio-query",
            "/query?q=SELECT+name%2C+minutes+FROM+_+WHERE+minutes+%3E+40+ORDER+BY+minutes"
        ),
        Screenshot("studio-schema", "/schema?collection=_default", width: 1280),
        Screenshot("studio-peers", "/peers", isDark: true),
        Screenshot("studio-phone", "/document?id=chair", width: 390, height: 700),
        Screenshot(
            "studio-phone-conflict",
            "/conflict?id=chair",
            isDark: true,
            width: 390,
            height: 700
        ),
    ]
}
