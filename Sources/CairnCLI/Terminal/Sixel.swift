import Cairn
import LibC

/// libsixel, loaded at run time if it is installed.
///
/// Source: libsixel 1.10, sixel.h.
struct Sixel {
  private typealias Status = CInt
  private typealias Writer =
    @convention(c) (UnsafeMutablePointer<CChar>?, CInt, UnsafeMutableRawPointer?) -> CInt
  private typealias NewOutput =
    @convention(c) (
      UnsafeMutablePointer<OpaquePointer?>, Writer, UnsafeMutableRawPointer?, OpaquePointer?
    ) -> Status
  private typealias NewDither =
    @convention(c) (UnsafeMutablePointer<OpaquePointer?>, CInt, OpaquePointer?) -> Status
  private typealias Initialize =
    @convention(c) (
      OpaquePointer?, UnsafePointer<UInt8>?, CInt, CInt, CInt, CInt, CInt, CInt
    ) -> Status
  private typealias Encode =
    @convention(c) (
      UnsafePointer<UInt8>?, CInt, CInt, CInt, OpaquePointer?, OpaquePointer?
    ) -> Status
  private typealias Release = @convention(c) (OpaquePointer?) -> Void

  private let newOutput: NewOutput
  private let newDither: NewDither
  private let initialize: Initialize
  private let encode: Encode
  private let releaseOutput: Release
  private let releaseDither: Release

  static var isAvailable: Bool { Sixel() != nil }

  init?() {
    let names = ["libsixel.so.1", "libsixel.1.dylib", "/opt/homebrew/lib/libsixel.1.dylib"]
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else { return nil }
    func function<Function>(_ name: String) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
    }
    guard let newOutput: NewOutput = function("sixel_output_new"),
      let newDither: NewDither = function("sixel_dither_new"),
      let initialize: Initialize = function("sixel_dither_initialize"),
      let encode: Encode = function("sixel_encode"),
      let releaseOutput: Release = function("sixel_output_unref"),
      let releaseDither: Release = function("sixel_dither_unref")
    else { return nil }
    (self.newOutput, self.newDither) = (newOutput, newDither)
    (self.initialize, self.encode) = (initialize, encode)
    (self.releaseOutput, self.releaseDither) = (releaseOutput, releaseDither)
  }

  /// SIXEL_PIXELFORMAT_RGB888.
  private static let rgb: CInt = 3
  private static let colors: CInt = 256

  /// Returns the sequence that shows an image; nil if the library fails.
  func sequence(of image: PixelBuffer) -> String? {
    let bytes = ByteBox()
    let context = Unmanaged.passRetained(bytes)
    defer { context.release() }
    let write: Writer = { start, count, context in
      guard let start, let context else { return -1 }
      let box = Unmanaged<ByteBox>.fromOpaque(context).takeUnretainedValue()
      box.bytes += UnsafeRawBufferPointer(start: start, count: Int(count))
      return 0
    }
    var (output, dither): (OpaquePointer?, OpaquePointer?)
    guard newOutput(&output, write, context.toOpaque(), nil) == 0 else { return nil }
    defer { releaseOutput(output) }
    guard newDither(&dither, Sixel.colors, nil) == 0 else { return nil }
    defer { releaseDither(dither) }
    let (width, height) = (CInt(image.width), CInt(image.height))
    let isDone = image.bytes.withUnsafeBufferPointer { pixels in
      initialize(dither, pixels.baseAddress, width, height, Sixel.rgb, 0, 0, 0) == 0
        && encode(pixels.baseAddress, width, height, 3, dither, output) == 0
    }
    return isDone ? String(decoding: bytes.bytes, as: UTF8.self) : nil
  }

  private final class ByteBox { var bytes: [UInt8] = [] }
}
