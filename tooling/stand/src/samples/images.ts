import { crc32, deflateSync } from 'node:zlib'

/** A chunk of a PNG (third edition, section 5.3). */
export function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8)
  return bytes
}

const PNG_BEGINNING = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The header of a black and white PNG of one bit for each pixel, with Adam7 where it is interlaced. */
function header(size: number, interlaced = false): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(size, 0)
  data.writeUInt32BE(size, 4)
  data[8] = 1
  data[12] = interlaced ? 1 : 0
  return chunk('IHDR', data)
}

/** So many black pixels, which take a thousandth of their bits. */
const black = (size: number): Buffer => chunk('IDAT', deflateSync(Buffer.alloc((Math.ceil(size / 8) + 1) * size)))
const end = chunk('IEND', Buffer.alloc(0))

/** A PNG that says that it is small, and then that it is large. */
export const twoHeaders = (first: number, second: number): Buffer =>
  Buffer.concat([PNG_BEGINNING, header(first), header(second), black(second), end])

export const interlaced = (size: number): Buffer => Buffer.concat([PNG_BEGINNING, header(size, true), black(size), end])

/** A PNG as anybody makes one. */
export const plainPng = (size: number): Buffer => Buffer.concat([PNG_BEGINNING, header(size), black(size), end])

/** A segment of a JPEG (ITU-T T.81, annex B). */
export const segment = (marker: number, data: readonly number[]): Buffer =>
  Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff, ...data])

/** A progressive grey JPEG of 1,024 pixels with so many scans, each of which goes over the whole image (ITU-T T.81, annex B and G). */
export function manyScans(scans: number, size = 1024): Buffer {
  const start = Buffer.from([0xff, 0xd8])
  const quantisation = segment(0xdb, [0, ...Array<number>(64).fill(1)])
  const frame = segment(0xc2, [8, size >> 8, size & 0xff, size >> 8, size & 0xff, 1, 1, 0x11, 0])
  const blocks = (size / 8) ** 2
  // One code of one bit each: no difference of a first coefficient, and the end of so many blocks as 14 more bits say.
  const codes = [0x00, 0x10].map((table) => segment(0xc4, [table, 1, ...Array<number>(15).fill(0), table && 0xe0]))
  const first = Buffer.concat([segment(0xda, [1, 1, 0, 0, 0, 0]), Buffer.alloc(blocks / 8)])
  const scan = Buffer.concat([segment(0xda, [1, 1, 0, 1, 63, 0]), Buffer.from([0, 0])])
  const others = Array<Buffer>(scans - 1).fill(scan)
  return Buffer.concat([start, quantisation, frame, ...codes, first, ...others, Buffer.from([0xff, 0xd9])])
}
