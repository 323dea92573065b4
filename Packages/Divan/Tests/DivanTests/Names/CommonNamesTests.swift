import Dispatch
import Divan
import Foundation
import Observation
import Synchronization
import Testing

// Common names of the standard library and of Foundation, as programs write them: none of them may
// be ambiguous, or mean something else, in a file that imports Divan.

extension Collection where Element == Int {
    fileprivate var total: Int { reduce(0, +) }
}

extension Result where Failure == any Error {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
}

private struct Names {
    var result: Result<Int, any Error> = .success(1)
    var never: Result<String, Never> = .success("")
    var array: [Int] = [1]
    var contiguous: ContiguousArray<Int> = [1]
    var slice: ArraySlice<Int> = [1][...]
    var dictionary: [String: Int] = [:]
    var set: Set<Int> = []
    var optional: Int? = 1
    var range: Range<Int> = 0..<1
    var closed: ClosedRange<Int> = 0...1
    var string: String = ""
    var substring: Substring = ""
    var character: Character = "a"
    var scalar: Unicode.Scalar = "a"
    var bool: Bool = true
    var integers: (Int, Int8, Int16, Int32, Int64) = (1, 1, 1, 1, 1)
    var unsigned: (UInt, UInt8, UInt16, UInt32, UInt64) = (1, 1, 1, 1, 1)
    var wide: (Int128, UInt128) = (1, 1)
    var floats: (Float, Double) = (1, 1)
    var duration: Duration = .seconds(1)
    var keyPath: KeyPath<String, Int> = \.count
    var any: AnyHashable = 1
    var sequence: AnySequence<Int> = AnySequence([1])
    var iterator: AnyIterator<Int> = AnyIterator([1].makeIterator())
    var collection: AnyCollection<Int> = AnyCollection([1])
    var lazy: LazySequence<[Int]> = [1].lazy
    var zipped: Zip2Sequence<[Int], [Int]> = zip([1], [1])
    var mirror: Mirror = Mirror(reflecting: 1)
    var hasher: Hasher = Hasher()
    var metatype: Any.Type = Int.self
    var object: AnyObject.Type?
    var stream: AsyncStream<Int>?
    var throwing: AsyncThrowingStream<Int, any Error>?
    var task: Task<Int, Never>?
    var continuation: CheckedContinuation<Int, Never>?
    var clock: ContinuousClock = ContinuousClock()
    var instant: ContinuousClock.Instant?
    var cancellation: CancellationError = CancellationError()
    var decoding: DecodingError?
    var encoding: EncodingError?
    // Foundation.
    var data: Data = Data()
    var date: Date = Date()
    var url: URL = URL(filePath: "/")
    var components: URLComponents = URLComponents()
    var uuid: UUID = UUID()
    var decimal: Decimal = 1
    var calendar: Calendar = .current
    var zone: TimeZone = .current
    var locale: Locale = .current
    var dateComponents: DateComponents = DateComponents()
    var interval: DateInterval = DateInterval()
    var indexPath: IndexPath = [1]
    var indexSet: IndexSet = [1]
    var notification: Notification.Name = .init("x")
    var attributed: AttributedString = "x"
    var measurement: Measurement<UnitLength> = .init(value: 1, unit: .meters)
    var predicate: Predicate<Int> = #Predicate { $0 > 1 }
    var sort: SortDescriptor<String>?
    var order: SortOrder = .forward
    var characterSet: CharacterSet = .letters
    var manager: FileManager = .default
    var process: ProcessInfo = .processInfo
    var bundle: Bundle = .main
    var encoder: JSONEncoder = JSONEncoder()
    var decoder: JSONDecoder = JSONDecoder()
    var plist: PropertyListEncoder = PropertyListEncoder()
    var formatter: DateFormatter?
    var number: NSNumber = 1
    var error: NSError?
    var lock: NSLock = NSLock()
    var operation: Operation?
    var timer: Timer?
    var thread: Thread?
    var pipe: Pipe?
    var handle: FileHandle?
    var scanner: Scanner?
    var host: Host?
    var stream2: InputStream?
    var regular: NSRegularExpression?
    var progress: Progress?
    var undo: UserDefaults?
    var port: Port?
    // Dispatch and Synchronization.
    var queue: DispatchQueue = .main
    var group: DispatchGroup = DispatchGroup()
    var time: DispatchTime = .now()
    var item: DispatchWorkItem?
    var registrar: ObservationRegistrar = ObservationRegistrar()
}

private protocol Requirements: Sequence, Codable, Hashable, Comparable, Identifiable, Sendable,
    CustomStringConvertible, LosslessStringConvertible, Error, CaseIterable, RawRepresentable
{}

private actor Isolated: Actor {
    let value = Mutex(1)
    let count = Atomic(1)
}

private func existentials(
    _: any Encoder,
    _: any Decoder,
    _: any CodingKey,
    _: any Clock,
    _: any Executor,
    _: any IteratorProtocol<Int>,
    _: some AsyncSequence<Int, Never>,
    _: any StringProtocol,
    _: any BinaryInteger,
    _: any FixedWidthInteger,
    _: any BinaryFloatingPoint,
    _: any RandomNumberGenerator,
    _: any RandomAccessCollection<Int>,
    _: any BidirectionalCollection<Int>,
    _: any MutableCollection<Int>,
    _: any LocalizedError
) {}

@Suite struct CommonNamesTests {
    @Test(
        "Names of the standard library and Foundation keep their meaning in a file that imports Divan"
    )
    func names() {
        let names = Names()
        #expect(names.result.isSuccess)
        #expect(names.array.total == 1)
    }
}
