import Testing

@testable import DocFS

@Suite struct ListingCookieTests {
    @Test(
        arguments: [
            0, 1, 2, 3, 4, 4096, 1 << 32, 1 << 62, 1 << 63 - 4, 1 << 63 - 1, 0x7FFF_FFFE_FFFF_FFFF,
        ] as [UInt64])
    func aScopesCookieComesBackAsItWas(cookie: UInt64) {
        let offset =
            cookie == 0 ? ListingCookie.afterParent : ListingCookie.offset(for: cookie)
        #expect(ListingCookie.cookie(for: offset) == cookie)
        #expect(offset < 1 << 63, "off_t is signed")
    }

    @Test(arguments: [1, 2, 3, 5, 1 << 63 - 1] as [UInt64])
    func noEntryHasAPositionOfTheDots(cookie: UInt64) {
        #expect(ListingCookie.offset(for: cookie) > ListingCookie.afterParent)
    }
}
