#if canImport(Glibc)
  import CairnBase
  import Glibc
  import Testing

  @Suite("Memory returned to the system")
  struct ReturnedMemoryTests {
    /// Whether the allocator is glibc's: sanitizers replace it.
    static let hasSystemAllocator = dlsym(nil, "__sanitizer_print_stack_trace") == nil

    @Test(
      "returns the pages of freed blocks before one that is in use",
      .enabled(if: hasSystemAllocator, "a sanitizer's allocator keeps freed blocks"))
    func freePages() throws {
      // Smaller ones than those that glibc returns one by one, 25 MiB in all.
      let size = 64 << 10
      let blocks = try (0..<400).map { _ in try #require(malloc(size)) }
      for block in blocks { memset(block, 1, size) }
      let freed = blocks.dropLast()
      for block in freed { free(block) }
      let before = freed.reduce(0) { $0 + residentPages(of: $1, size) }
      returnFreePages()
      let after = freed.reduce(0) { $0 + residentPages(of: $1, size) }
      // Another test may have taken some of them.
      #expect(after < before / 2, "\(before), then \(after)")
      free(blocks[blocks.count - 1])
    }

    @Test("the memory grows with the pages that are used")
    func grows() throws {
      let size = 256 << 20
      let before = try #require(anonymousMemory())
      let pages = try #require(
        mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      try #require(pages != MAP_FAILED)
      defer { munmap(pages, size) }
      memset(pages, 1, size)
      // Other tests may have returned some.
      #expect(try #require(anonymousMemory()) > before + size / 2)
    }

    /// Returns how many of the pages that are wholly in a block, perhaps a freed one, are in memory.
    private func residentPages(of block: UnsafeMutableRawPointer, _ size: Int) -> Int {
      let page = sysconf(CInt(_SC_PAGESIZE))
      let start = (Int(bitPattern: block) + page - 1) / page * page
      let count = (Int(bitPattern: block) + size - start) / page
      var pages = [UInt8](repeating: 0, count: count)
      // Pages that are no longer mapped are an error.
      let status = mincore(UnsafeMutableRawPointer(bitPattern: start), count * page, &pages)
      return status == 0 ? pages.count { $0 & 1 == 1 } : 0
    }
  }
#endif
