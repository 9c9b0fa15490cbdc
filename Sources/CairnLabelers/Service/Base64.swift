/// Returns bytes in base64, with padding.
///
/// Source: RFC 4648 section 4.
func base64(_ bytes: some Collection<UInt8>) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count + 2) / 3 * 4)
  var (group, count) = (UInt32(0), 0)
  func digit(_ shift: UInt32) -> UInt8 { alphabet[Int(group >> shift & 63)] }
  for byte in bytes {
    group = group << 8 | UInt32(byte)
    count += 1
    guard count == 3 else { continue }
    text += [digit(18), digit(12), digit(6), digit(0)]
    (group, count) = (0, 0)
  }
  let padding = UInt8(ascii: "=")
  if count == 1 {
    group <<= 16
    text += [digit(18), digit(12), padding, padding]
  } else if count == 2 {
    group <<= 8
    text += [digit(18), digit(12), digit(6), padding]
  }
  return String(decoding: text, as: UTF8.self)
}
