import DivanPlatform
internal import DivanStorage

/// The b-trees that the pages of a plain database file make up, determined without its schema.
///
/// A freed page still has its old contents. So a page that no other names as its child may be a root or
/// none, and callers need further evidence, or a page that is the only one of its kind.
struct SQLitePageMap {
    /// The root of a b-tree.
    struct Root: Hashable {
        let number: UInt32
        let table: SQLitePage.Table
        /// Pages with records that could be read.
        var leafCount = 0
    }

    /// Bytes of a page in our files: what is chosen today, and SQLite's own default, which older ones have.
    private static let knownByteCounts = [SQLiteSchema.pageByteCount, 4_096]
    /// Bytes before the first page's own content.
    private static let headerByteCount = 100
    /// A file of 2³² pages has trees of at most this depth.
    private static let maximumDepth = 20

    /// Bytes of a page.
    let pageByteCount: Int
    /// Possible roots of known tables, except the first page.
    let roots: [Root]
    /// Pages with records of the schema, which has more than one page where there are many tables.
    let schemaPages: [[UInt8]]
    private let children: [UInt32: [UInt32]]
    private let tables: [UInt32: SQLitePage.Table]
    /// The numbers of last rows, by page.
    private let lastNumbers: [UInt32: Int64]

    /// Reads every page of a file that nobody writes to.
    init(of path: String) throws(StoreError) {
        let descriptor = try StoreFiles.open(path, [.readOnly, .closeOnExec, .noFollow])
        defer { descriptor.close() }
        let byteCount = StoreFiles.byteCount(path)
        pageByteCount = Self.pageByteCount(of: descriptor, byteCount)
        let pageCount = UInt32(clamping: byteCount / pageByteCount)
        var parents = [UInt32](repeating: 0, count: Int(pageCount) + 1)
        var children: [UInt32: [UInt32]] = [:]
        var tables: [UInt32: SQLitePage.Table] = [:]
        var schemaPages: [[UInt8]] = []
        var lastNumbers: [UInt32: Int64] = [:]
        var number: UInt32 = 2
        while number <= pageCount {
            defer { number += 1 }
            let bytes = Self.page(number, of: descriptor, pageByteCount)
            guard let page = SQLitePage(bytes, pageCount: pageCount) else { continue }
            for child in page.children { parents[Int(child)] = number }
            if !page.children.isEmpty { children[number] = page.children }
            if page.table == .schema { schemaPages.append(bytes) }
            tables[number] = page.table
            lastNumbers[number] = page.lastNumber
        }
        (self.schemaPages, self.children, self.tables) = (schemaPages, children, tables)
        self.lastNumbers = lastNumbers
        roots = Self.roots(of: tables, parents)
    }

    private static func roots(
        of tables: [UInt32: SQLitePage.Table],
        _ parents: [UInt32]
    ) -> [Root] {
        var found: [UInt32: Root] = [:]
        for (leaf, table) in tables.sorted(by: { $0.key < $1.key }) {
            var (top, depth) = (leaf, 0)
            while parents[Int(top)] != 0, depth < maximumDepth {
                top = parents[Int(top)]
                depth += 1
            }
            guard parents[Int(top)] == 0 else { continue }
            var root = found[top] ?? Root(number: top, table: table)
            if root.table == table { root.leafCount += 1 }
            found[top] = root
        }
        return found.values.sorted { $0.number < $1.number }
    }

    /// The root at a page, if records of a table are below it.
    func root(at number: UInt32) -> Root? {
        // Damaged pages may refer to each other: each is visited once.
        var (waiting, seen) = ([number], Set([number]))
        while let page = waiting.popLast() {
            if let table = tables[page] { return Root(number: number, table: table) }
            waiting += (children[page] ?? []).reversed().filter { seen.insert($0).inserted }
        }
        return nil
    }

    /// Whether every page below one could be read; a root without rows has none.
    func isWhole(below number: UInt32) -> Bool {
        var (waiting, seen) = (children[number] ?? [], Set([number]))
        while let page = waiting.popLast() {
            guard seen.insert(page).inserted, tables[page] != nil || children[page] != nil
            else { return false }
            waiting += children[page] ?? []
        }
        return true
    }

    /// The number of the last row below a page; `nil` if the path to it is damaged.
    func lastNumber(below number: UInt32) -> Int64? {
        var page = number
        for _ in 0..<Self.maximumDepth {
            if let last = lastNumbers[page] { return last }
            // The last child comes first.
            guard let last = children[page]?.first else { return nil }
            page = last
        }
        return nil
    }

    /// A page of an open file, counted from 1; zeros if it cannot be read.
    static func page(_ number: UInt32, of descriptor: FileDescriptor, _ byteCount: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let place = Int(number - 1) * byteCount
        let count = bytes.withUnsafeMutableBytes { try? descriptor.read(into: $0, at: place) }
        guard count == bytes.count else {
            return [UInt8](repeating: 0, count: byteCount)
        }
        return bytes
    }

    /// Bytes of a page of an open file, according to its header or what is left of its pages.
    ///
    /// Records are at the end of a page. Assuming half the true length finds none of them, and
    /// assuming twice the length finds every second record: so the length that finds most of our
    /// tables is right.
    static func pageByteCount(of descriptor: FileDescriptor, _ fileByteCount: Int) -> Int {
        let header = page(1, of: descriptor, headerByteCount)
        let told = Int(header[16]) << 8 | Int(header[17])
        if header.starts(with: Array("SQLite format 3\0".utf8)), knownByteCounts.contains(told) {
            return told
        }
        let found = knownByteCounts.map { byteCount in
            let pageCount = UInt32(clamping: fileByteCount / byteCount)
            return (2...max(pageCount, 2)).count { number in
                SQLitePage(page(number, of: descriptor, byteCount), pageCount: pageCount)?.table
                    != nil
            }
        }
        let best = zip(knownByteCounts, found).max { $0.1 < $1.1 }
        return best?.0 ?? SQLiteSchema.pageByteCount
    }

    /// The only possible root: if there are several, the only one with interior pages; `nil` if in doubt.
    static func only(_ roots: [Root]) -> Root? {
        if roots.count == 1 { return roots.first }
        let large = roots.filter { $0.leafCount > 1 }
        return large.count == 1 ? large.first : nil
    }

    /// Where a page of the schema has the root of a table: its number, in as many bytes as needed,
    /// follows the type and both names and precedes the statement.
    static func roots(ofTablesNamed prefix: String, in page: [UInt8]) -> [(name: String, UInt32)] {
        let (type, start) = (Array("table".utf8), Array(prefix.utf8))
        let (opening, statement) = (type + start, Array("CREATE TABLE".utf8))
        var found: [(name: String, UInt32)] = []
        for place in page.indices where page[place...].starts(with: opening) {
            let rest = page[(place + type.count)...]
            let digits = rest.dropFirst(start.count).prefix { (0x30...0x39).contains($0) }
            let name = Array(rest.prefix(start.count + digits.count))
            guard rest.dropFirst(name.count).starts(with: name) else { continue }
            let behind = rest.dropFirst(2 * name.count)
            guard let count = (1...4).first(where: { behind.dropFirst($0).starts(with: statement) })
            else { continue }
            let number = behind.prefix(count).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            found.append((String(decoding: name, as: UTF8.self), number))
        }
        return found
    }
}
