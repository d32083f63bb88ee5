// Images as they are drawn and as attackers make them.
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'
import { chunk, segment } from '#testing'

/** A picture in which every pixel is opaque. */
export function picture(width: number, height = width): PNG {
  const png = new PNG({ width, height })
  for (let at = 0; at < png.data.length; at++) png.data[at] = at % 4 === 3 ? 255 : (at * 7) % 256
  return png
}

export const pngOf = (width: number, height?: number): Buffer => PNG.sync.write(picture(width, height))
export const jpegOf = (width: number): Buffer =>
  jpeg.encode({ width, height: width, data: picture(width).data }, 90).data

/** The first chunk of a PNG of this service's fixtures begins behind the signature, and is 25 bytes long. */
const BEHIND_HEADER = 33

/** A PNG whose chunk `acTL` says that it has so many frames (section 11.3.5). */
export function animated(frames: number): Buffer {
  const [control, png] = [Buffer.alloc(8), pngOf(64)]
  control.writeUInt32BE(frames, 0)
  return withChunk(png, chunk('acTL', control))
}

/** A PNG with another chunk behind its header. */
export const withChunk = (png: Buffer, added: Buffer): Buffer =>
  Buffer.concat([png.subarray(0, BEHIND_HEADER), added, png.subarray(BEHIND_HEADER)])

/** A JPEG with a second frame header, of another size, before its scan. */
export function twoFrames(): Buffer {
  const small = jpegOf(32)
  const at = small.indexOf(Buffer.from([0xff, 0xda]))
  const frame = segment(0xc0, [8, 0x0b, 0xb8, 0x0b, 0xb8, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1])
  return Buffer.concat([small.subarray(0, at), frame, small.subarray(at)])
}
