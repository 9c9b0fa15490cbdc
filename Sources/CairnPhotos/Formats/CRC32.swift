internal import CDeflate

/// Returns the CRC-32 of `bytes`, as PNG, zlib and Ethernet compute it.
///
/// Source: W3C PNG (third edition), annex D; libdeflate's `libdeflate_crc32`.
package func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
  libdeflate_crc32(0, bytes.baseAddress, bytes.count)
}
