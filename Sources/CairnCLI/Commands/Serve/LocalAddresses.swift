import LibC

/// The addresses of this computer on its networks.
enum LocalAddresses {
  /// Returns the IPv4 addresses, without the loopback.
  static func all() -> [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var addresses: [String] = []
    var next = first
    while let interface = next {
      next = interface.pointee.ifa_next
      guard let address = interface.pointee.ifa_addr,
        Int32(address.pointee.sa_family) == AF_INET,
        interface.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
      }
      addresses.append([24, 16, 8, 0].map { "\(number >> $0 & 255)" }.joined(separator: "."))
    }
    return addresses
  }
}
