extension FixedWidthInteger where Self: SignedInteger {
    /// Compares with a double by value: not every integer is a double.
    ///
    /// NaN precedes every integer.
    ///
    /// - Returns: A negative number if the integer is less, zero if both are equal, else a positive number.
    @inlinable
    public func compared(with double: Double) -> Int {
        let bound = Double(sign: .plus, exponent: Self.bitWidth - 1, significand: 1)
        if double.isNaN || double < -bound { return 1 }
        if double >= bound { return -1 }
        let whole = Self(double)  // within its range, cut towards zero
        if self != whole { return self < whole ? -1 : 1 }
        let rest = double - double.rounded(.towardZero)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}
