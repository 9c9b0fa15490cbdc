internal import Cairn

/// One thumbnail of a batch.
struct ThumbnailRecord: Sendable {
  enum Status: UInt8, Sendable { case ok, missingImage, undecodable, noPhoto }

  /// The position in the request.
  let index: Int
  let status: Status
  let color: MeanColor
  let jpeg: [UInt8]

  static let headerSize = 12

  /// The record as it is sent: a header of 12 bytes, then the JPEG.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(ThumbnailRecord.headerSize + jpeg.count)
    bytes.append(UInt8(index & 255))
    bytes.append(UInt8(index >> 8))
    bytes.append(status.rawValue)
    bytes += [color.red, color.green, color.blue, 0, 0]
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(jpeg.count >> shift & 255)) }
    return bytes + jpeg
  }
}

extension Dataset {
  /// Returns the thumbnail of a photo, and its color if it was not known.
  func record(
    of photo: PhotoID, at index: Int, _ colors: ColorCache
  ) -> (record: ThumbnailRecord, newColor: MeanColor?) {
    let black = MeanColor(red: 0, green: 0, blue: 0)
    func failure(_ status: ThumbnailRecord.Status) -> (ThumbnailRecord, MeanColor?) {
      (ThumbnailRecord(index: index, status: status, color: black, jpeg: []), nil)
    }
    do {
      let jpeg = try thumbnail(of: photo)
      let known = colors.color(of: photo)
      let color = known ?? MeanColor(of: jpeg) ?? black
      let record = ThumbnailRecord(index: index, status: .ok, color: color, jpeg: jpeg)
      return (record, known == nil ? color : nil)
    } catch  where error.kind == .missingImage || error.kind == .erased {
      return failure((try? show(photo)) == nil ? .noPhoto : .missingImage)
    } catch {
      return failure(.undecodable)
    }
  }
}
