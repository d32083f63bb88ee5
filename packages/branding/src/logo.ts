import { createHash } from 'node:crypto'
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'

/** A logo as it is served: written by this service from the pixels of what was uploaded. */
export interface Logo {
  readonly id: string
  readonly type: 'image/png' | 'image/jpeg'
  readonly image: Buffer
}

const [LEAST, MOST] = [16, 1024]
const MOST_BYTES = 262_144
const QUALITY = 90
const PNG_BEGINNING = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG_BEGINNING = Buffer.from([0xff, 0xd8, 0xff])
/** Where a PNG says how wide and high it is: before anything is unpacked. */
const [WIDTH_AT, HEIGHT_AT, PNG_HEAD] = [16, 20, 24]

const FORMAT = 'Must be a PNG or JPEG image'
const SIZE = `Must be ${LEAST} to ${MOST.toLocaleString('en')} pixels wide and high`

const fits = (width: number, height: number): boolean =>
  Math.min(width, height) >= LEAST && Math.max(width, height) <= MOST

/**
 * Reads the pixels of an image and writes them again: what else was in the file, such as a script, a place or another file behind it, is gone.
 * @returns the logo, or what is wrong with the image
 */
export function readLogo(file: Buffer): Logo | { readonly mistake: string } {
  const isPng = file.subarray(0, PNG_BEGINNING.length).equals(PNG_BEGINNING)
  const isJpeg = file.subarray(0, JPEG_BEGINNING.length).equals(JPEG_BEGINNING)
  if (!isPng && !isJpeg) return { mistake: FORMAT }
  if (isPng && (file.length < PNG_HEAD || !fits(file.readUInt32BE(WIDTH_AT), file.readUInt32BE(HEIGHT_AT))))
    return { mistake: SIZE }
  try {
    const image = isPng ? rewrittenPng(file) : rewrittenJpeg(file)
    if (!image) return { mistake: SIZE }
    if (image.length > MOST_BYTES) return { mistake: 'Must be a simpler image: it takes more than 256 kB' }
    const id = createHash('sha256').update(image).digest('hex')
    return { id, type: isPng ? 'image/png' : 'image/jpeg', image }
  } catch {
    return { mistake: 'Must be a whole image: it could not be decoded' }
  }
}

const rewrittenPng = (file: Buffer): Buffer => PNG.sync.write(PNG.sync.read(file))

function rewrittenJpeg(file: Buffer): Buffer | undefined {
  const { width, height, data } = jpeg.decode(file, {
    maxResolutionInMP: (MOST * MOST) / 1e6 + 1,
    maxMemoryUsageInMB: 64,
  })
  // The pixels alone: with the rest of what was decoded, comments and the place of a photo would be written too.
  return fits(width, height) ? jpeg.encode({ width, height, data }, QUALITY).data : undefined
}
