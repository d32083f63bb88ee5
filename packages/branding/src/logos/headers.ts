/** An image whose headers are in order: the parts of the file that hold its pixels, and nothing else of it. */
export interface Checked {
  readonly type: 'image/png' | 'image/jpeg'
  readonly file: Buffer
  readonly width: number
  readonly height: number
}
export interface Mistake {
  readonly mistake: string
}

const [LEAST, MOST] = [16, 1024]
/** Logos are stored with as many pixels at most, in each direction. */
export const STORED = 512
/** A progressive JPEG of common programs has up to 11. Each is a pass over the whole image. */
const SCANS = 20

const FORMAT = 'Must be a PNG or JPEG image'
const SIZE = `Must be ${LEAST} to ${MOST.toLocaleString('en')} pixels wide and high`
export const UNREADABLE = 'Must be a whole image: it could not be decoded'
const SECOND_HEADER = 'Must have one header: this image has another one, with a size of its own'

const PNG_BEGINNING = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG_BEGINNING = Buffer.from([0xff, 0xd8, 0xff])

/**
 * Reads what the headers of a PNG or JPEG say, before anything is unpacked: how large it is, and how often a decoder would go over it. A
 * decoder may then be given `file`. Its work is bounded by the size of the file and of the image.
 * @returns what is wrong with it, in words for the merchant
 */
export function checkHeaders(file: Buffer): Checked | Mistake {
  if (file.subarray(0, PNG_BEGINNING.length).equals(PNG_BEGINNING)) return checkPng(file)
  if (file.subarray(0, JPEG_BEGINNING.length).equals(JPEG_BEGINNING)) return checkJpeg(file)
  return { mistake: FORMAT }
}

const fits = (width: number, height: number): boolean =>
  Math.min(width, height) >= LEAST && Math.max(width, height) <= MOST

/** Length and type before the data of a chunk, and the checksum behind it. */
const [CHUNK_HEAD, CHUNK_END, IHDR_LENGTH] = [8, 4, 13]
/** What the pixels depend on (PNG, third edition, section 5.6). Others, such as text and profiles, are left out. */
const PIXELS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
/** Of an animation (section 11.3.5 and 11.3.6). */
const FRAMES = new Set(['acTL', 'fcTL', 'fdAT'])

function checkPng(file: Buffer): Checked | Mistake {
  const kept: Buffer[] = [PNG_BEGINNING]
  let header: Buffer | undefined
  for (let at = PNG_BEGINNING.length, type = ''; type !== 'IEND'; ) {
    if (file.length < at + CHUNK_HEAD) return { mistake: header ? UNREADABLE : SIZE }
    const length = file.readUInt32BE(at)
    const end = at + CHUNK_HEAD + length + CHUNK_END
    type = file.toString('latin1', at + 4, at + CHUNK_HEAD)
    if (end > file.length) return { mistake: UNREADABLE }
    if (type === 'IHDR' && header) return { mistake: SECOND_HEADER }
    if (type === 'IHDR' && length === IHDR_LENGTH) header = file.subarray(at + CHUNK_HEAD, end - CHUNK_END)
    if (!header) return { mistake: UNREADABLE }
    if (FRAMES.has(type)) return { mistake: 'Must be one picture: this image has several frames' }
    if (PIXELS.has(type)) kept.push(file.subarray(at, end))
    at = end
    if (type === 'IEND' && at !== file.length) return { mistake: UNREADABLE }
  }
  if (!header) return { mistake: UNREADABLE }
  const [width, height, interlace] = [header.readUInt32BE(0), header.readUInt32BE(4), header[12]]
  if (!fits(width, height)) return { mistake: SIZE }
  if (interlace !== 0) return { mistake: 'Must not be interlaced: save the image without interlacing' }
  return { type: 'image/png', file: Buffer.concat(kept), width, height }
}

/** Markers of JPEG (ITU-T T.81, table B.1) that a decoder needs; APP14 says how colours are written. */
const MARKERS = { dht: 0xc4, end: 0xd9, scan: 0xda, dqt: 0xdb, dri: 0xdd, adobe: 0xee } as const
const NEEDED: ReadonlySet<number> = new Set([MARKERS.dht, MARKERS.dqt, MARKERS.dri, MARKERS.adobe])
/** Baseline, extended and progressive, in Huffman codes. */
const FRAMES_READ: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2])
/** Of the kinds of frames, those that are none: tables and extensions. */
const NO_FRAMES: ReadonlySet<number> = new Set([MARKERS.dht, 0xc8, 0xcc])
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker)
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

function checkJpeg(file: Buffer): Checked | Mistake {
  const kept: Buffer[] = [file.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let scans = 0
  for (let at = 2; ; ) {
    while (file[at] === 0xff && file[at + 1] === 0xff) at++
    const marker = file[at + 1]
    if (file[at] !== 0xff || marker === undefined) return { mistake: UNREADABLE }
    if (marker === MARKERS.end) break
    if (at + 4 > file.length) return { mistake: UNREADABLE }
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (end > file.length || end < at + 4) return { mistake: UNREADABLE }
    const next = marker === MARKERS.scan ? endOfScan(file, end) : end
    if (isFrame(marker)) {
      if (size) return { mistake: SECOND_HEADER }
      if (!FRAMES_READ.has(marker) || end < at + 10) return { mistake: UNREADABLE }
      size = { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) }
      if (!fits(size.width, size.height)) return { mistake: SIZE }
    }
    if (marker === MARKERS.scan) scans++
    if (scans > 0 && !size) return { mistake: UNREADABLE }
    if (isFrame(marker) || marker === MARKERS.scan || NEEDED.has(marker)) kept.push(file.subarray(at, next))
    at = next
  }
  if (!size || scans === 0) return { mistake: UNREADABLE }
  if (scans > SCANS)
    return { mistake: `Must have at most ${SCANS} scans: this image has ${scans}. Save it as a baseline JPEG` }
  kept.push(Buffer.from([0xff, MARKERS.end]))
  return { type: 'image/jpeg', file: Buffer.concat(kept), ...size }
}

/** Where the next marker is behind the coded data of a scan, in which 0xff is followed by 0 or is a restart. */
function endOfScan(file: Buffer, from: number): number {
  let at = from
  for (;;) {
    at = file.indexOf(0xff, at)
    const marker = file[at + 1]
    if (at < 0 || marker === undefined) return file.length
    if (marker !== 0 && !isRestart(marker)) return at
    at += 2
  }
}
