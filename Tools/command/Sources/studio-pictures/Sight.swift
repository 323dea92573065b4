/// A page of the studio as a picture shows it.
struct Sight {
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
        Sight("studio-collection", "/collection?collection=_default"),
        Sight("studio-document", "/document?id=chair"),
        Sight("studio-conflict", "/conflict?id=chair", isDark: true),
        Sight(
            "studio-query",
            "/query?q=SELECT+name%2C+minutes+FROM+_+WHERE+minutes+%3E+40+ORDER+BY+minutes"
        ),
        Sight("studio-peers", "/peers", isDark: true),
        Sight("studio-phone", "/document?id=chair", width: 390, height: 700),
    ]
}
