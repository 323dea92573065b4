import Divan
import Foundation

/// An article; its vector stands for its subject.
struct Article: Codable, Identifiable, Sendable {
    var id: String
    var title: String
    var text: String
    var year: Int
    var vector: [Float]
}

/// Counts letters, in place of a language model.
func vector(of text: String) -> [Float] {
    let letters = text.lowercased().utf8.filter { $0 >= 97 && $0 <= 122 }
    return (0..<26).map { letter in Float(letters.count { $0 == 97 + letter }) }
}

let library = [
    ("bread", "Baking bread", "Flour, water and salt, baked in an oven", 2019),
    ("tea", "Making tea", "Water that has boiled, and leaves", 2021),
    ("rails", "Laying rails", "Steel on wood, and trains above", 1987),
]

/// Finds articles by words, by their subject and by their year, a page at a time.
func run(_ words: String) throws {
    let db = try Database.inMemory()
    let articles = try db.collection("articles")
    try db.write { _ in
        for (id, title, text, year) in library {
            let vector = vector(of: text)
            let article = Article(id: id, title: title, text: text, year: year, vector: vector)
            try articles.save(article)
        }
    }
    try articles.createIndex("words", .text("title", "text", language: "en"))
    let subjects = Index.vectors("vector", dimensions: 26, centroids: 2, metric: .cosine)
    try articles.createIndex("subjects", subjects)

    let recent = articles.documents(where: #Predicate<Article> { $0.year > 2000 })
    let found = try recent.matching(words, index: "words").all()
    print("words: \(found.map(\.title))")
    for near in try articles.nearest(to: vector(of: words), in: "vector", limit: 1) {
        print("subject: \(near.document.title ?? "?")")
    }
    let byYear = articles.documents(of: Article.self, orderBy: .descending(\.year))
    var page = try byYear.page(of: 2)
    print("page: \(page.documents.map(\.id))")
    while let next = page.next {
        page = try byYear.page(of: 2, after: next)
        print("page: \(page.documents.map(\.id))")
    }
}

do {
    try run(CommandLine.arguments.dropFirst().joined(separator: " "))
} catch {
    print(error)
    exit(1)
}
