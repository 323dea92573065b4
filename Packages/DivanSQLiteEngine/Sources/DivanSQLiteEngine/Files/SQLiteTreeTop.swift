import DivanPlatform
internal import DivanSQLite
public import DivanStorage

/// Gives a copy of a database file another top page for the documents of a collection, if their own cannot
/// be read.
///
/// Only the top of a table's tree says where its pages are. But a page of documents can be recognised by its
/// rows, and their numbers show the order of the pages. So the top is rebuilt from all pages of documents
/// that no other page names and that are not free. If more is damaged, nothing shows which page belongs
/// where, and a guess would put documents into the wrong collection. Only for plain files, like
/// `SQLiteFirstPage`.
public struct SQLiteTreeTop {
    private struct Tree {
        let name: String
        let root: UInt32
    }

    private let descriptor: FileDescriptor
    private let map: SQLitePageMap
    private let trees: [Tree]

    /// Copies a file with its log and gives the copy a new top page, if one is lost.
    ///
    /// - Parameters:
    ///   - source: The damaged file, whose first page is intact.
    ///   - path: Where the copy is made.
    /// - Returns: Whether there is a copy that has more than the file.
    /// - Throws: What the medium reports, and what SQLite reports about the copy.
    public static func remake(_ source: String, at path: String) throws(StoreError) -> Bool {
        guard try !lost(in: source).isEmpty else { return false }
        try SQLiteFirstPage.copyWithLog(source, to: path)
        let connection = try StoreConnection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        // The log may have contained the page.
        let lost = try lost(in: path)
        guard lost.count == 1 else { return false }
        return try SQLiteTreeTop(of: path).remake(lost[0])
    }

    private init(of path: String) throws(StoreError) {
        trees = try Self.trees(of: path)
        map = try SQLitePageMap(of: path)
        descriptor = try StoreFiles.open(path, [.readWrite, .closeOnExec, .noFollow])
    }

    // MARK: What is lost

    private static func trees(of path: String) throws(StoreError) -> [Tree] {
        let connection = try StoreConnection(path: path, mode: .readOnly)
        let list = try connection.prepare(
            """
            SELECT name, rootpage FROM sqlite_schema
            WHERE type = 'table' AND name GLOB 'docs_[0-9]*'
            """
        )
        var trees: [Tree] = []
        while try list.step() {
            let name = list.text(0)
            guard Int64(name.dropFirst(5)) != nil,
                let root = UInt32(exactly: list.integer(1)), root > 1
            else { continue }
            trees.append(Tree(name: name, root: root))
        }
        return trees
    }

    /// The collections whose top page is not valid.
    private static func lost(in path: String) throws(StoreError) -> [Tree] {
        let trees = try trees(of: path)
        let descriptor = try StoreFiles.open(path, [.readOnly, .closeOnExec, .noFollow])
        defer { descriptor.close() }
        let byteCount = StoreFiles.byteCount(path)
        let pageByteCount = SQLitePageMap.pageByteCount(of: descriptor, byteCount)
        let pageCount = UInt32(clamping: byteCount / pageByteCount)
        return trees.filter { tree in
            let page = SQLitePageMap.page(tree.root, of: descriptor, pageByteCount)
            // That of a collection without documents has no rows.
            let isEmpty = page[0] == SQLitePage.Kind.tableLeaf.rawValue && page[3...4] == [0, 0]
            return !isEmpty && SQLitePage(page, pageCount: pageCount) == nil
        }
    }

    // MARK: The page

    private func remake(_ tree: Tree) throws(StoreError) -> Bool {
        defer { descriptor.close() }
        // Pages of an incomplete tree, and free pages missing from the list, would be taken for pages of this one.
        let areOthersWhole = trees.allSatisfy {
            $0.root == tree.root || map.isWhole(below: $0.root)
        }
        guard areOthersWhole, let free = freePages() else { return false }
        let others = free.union(trees.map(\.root))
        var below: [(page: UInt32, last: Int64)] = []
        for root in map.roots where root.table.isDocuments && !others.contains(root.number) {
            guard let last = map.lastNumber(below: root.number) else { continue }
            below.append((root.number, last))
        }
        below.sort { ($0.last, $0.page) < ($1.last, $1.page) }
        guard let page = top(of: below) else { return false }
        let place = Int(tree.root - 1) * map.pageByteCount
        return page.withUnsafeBytes { try? descriptor.write($0, at: place) } == page.count
    }

    /// A page that leads to others; if there is only one, that page itself.
    private func top(of below: [(page: UInt32, last: Int64)]) -> [UInt8]? {
        guard let last = below.last else { return nil }
        guard below.count > 1 else {
            return SQLitePageMap.page(last.page, of: descriptor, map.pageByteCount)
        }
        var page = [UInt8](repeating: 0, count: map.pageByteCount)
        var (pointer, content) = (12, page.count)
        for child in below.dropLast() {
            let key = Self.varint(UInt64(clamping: child.last))
            content -= 4 + key.count
            guard pointer + 2 <= content else { return nil }
            page.write(Int(child.page), byteCount: 4, at: content)
            page.replaceSubrange(content + 4..<content + 4 + key.count, with: key)
            page.write(content, byteCount: 2, at: pointer)
            pointer += 2
        }
        page[0] = SQLitePage.Kind.tableInterior.rawValue
        page.write(below.count - 1, byteCount: 2, at: 3)
        page.write(content, byteCount: 2, at: 5)
        page.write(Int(last.page), byteCount: 4, at: 8)
        return page
    }

    /// The free pages, according to the list that begins in the first page; `nil` if their number differs
    /// from the one stated there.
    private func freePages() -> Set<UInt32>? {
        var free: Set<UInt32> = []
        let first = SQLitePageMap.page(1, of: descriptor, map.pageByteCount)
        var next = first.number(at: 32)
        while next > 1, free.insert(next).inserted {
            let trunk = SQLitePageMap.page(next, of: descriptor, map.pageByteCount)
            let most = map.pageByteCount / 4 - 2
            for index in 0..<min(most, Int(trunk.number(at: 4))) {
                free.insert(trunk.number(at: 8 + 4 * index))
            }
            next = trunk.number(at: 0)
        }
        return free.count == Int(first.number(at: 36)) ? free : nil
    }

    /// An SQLite varint of at most 63 bits.
    private static func varint(_ value: UInt64) -> [UInt8] {
        var bytes = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes.reversed()
    }
}
