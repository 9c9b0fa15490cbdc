import LibC

/// The addresses of this computer on its networks.
enum LocalAddresses {
  /// Returns the IPv4 addresses, without the loopback; that of the route to other networks first,
  /// which is the one that a phone most probably reaches.
  static func all() -> [String] {
    let addresses = interfaceAddresses()
    guard let routed = routedAddress(), addresses.contains(routed) else { return addresses }
    return [routed] + addresses.filter { $0 != routed }
  }

  /// Returns the address from which this computer reaches other networks. Nothing is sent:
  /// connecting a UDP socket only chooses a route.
  private static func routedAddress() -> String? {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_DGRAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(9).bigEndian
    // TEST-NET-1 (RFC 5737), which no computer has.
    address.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    return result == 0 ? text(address) : nil
  }

  private static func text(_ address: sockaddr_in) -> String {
    let number = UInt32(bigEndian: address.sin_addr.s_addr)
    return [24, 16, 8, 0].map { "\(number >> $0 & 255)" }.joined(separator: ".")
  }

  private static func interfaceAddresses() -> [String] {
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
      addresses.append(
        address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { text($0.pointee) })
    }
    return addresses
  }
}
