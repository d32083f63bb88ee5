import Document from 'pdfkit'
import { type PageCommand, replay, textsOf } from './commands.ts'
import { escapeXml } from './escape.ts'
import { pageOf } from './page.ts'
import { isPlain } from './text/clusters.ts'
import { hanOf } from './text/faces.ts'
import { type Doc, Fonts, REPLACEMENT } from './text/fonts.ts'
import { loadShaper } from './text/shaping.ts'

const MARGIN = 56
const REPLACED = `${REPLACEMENT} stands for a character that cannot be printed here.`

/** The part of a document with which pdfkit writes its metadata as XML. */
interface WithMetadata {
  info: Readonly<Record<string, unknown>>
  _addInfo(): void
  appendXML(xml: string): void
}

export interface PdfInfo {
  readonly title: string
  readonly author: string
  readonly createdAt: Date
  /** Language (BCP 47); without it English. Arabic is written from right to left. */
  readonly lang?: string
  /** Said at the end of a document in which {@link REPLACEMENT} stands for a character; without it in English. */
  readonly replacedText?: string
  readonly attachment?: PdfAttachment | undefined
}

/** A file in a document. */
interface PdfAttachment {
  readonly name: string
  /** Media type. */
  readonly type: string
  readonly description: string
  /** What it is to the document (`AFRelationship` of ISO 19005-3). */
  readonly relationship: 'Alternative' | 'Data'
  readonly content: string
  /** What the metadata of the document say of it: elements of RDF. */
  readonly metadata: string
}

/** A document before it is made. The same one is always the same file, byte for byte. */
export interface PdfOrder {
  readonly info: PdfInfo
  readonly commands: readonly PageCommand[]
}

export interface Pdf {
  readonly file: Uint8Array
  /** Characters that a box stands for. */
  readonly replaced: readonly string[]
}

/**
 * Makes a document of A4 pages for archives: PDF/A-3b (ISO 19005-3), tagged. A character that the fonts do not have is replaced by a box, and a
 * line at the end says so. It takes from 30 ms to seconds, so it runs in a thread: see `pdf`.
 */
export async function make({ info, commands }: PdfOrder): Promise<Pdf> {
  const { title, author, createdAt, attachment, lang = 'en', replacedText = REPLACED } = info
  const doc = new Document({
    size: 'A4',
    margin: MARGIN,
    tagged: true,
    lang,
    displayTitle: true,
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    info: { Title: title, Author: author, CreationDate: createdAt },
    // None to begin with: pdfkit would read a font that it has by its bytes and by its name anew with every text.
    font: '',
  })
  escapeMetadata(doc as unknown as WithMetadata)
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  const root = doc.struct('Document')
  doc.addStructure(root)
  if (attachment) attach(doc, attachment, createdAt)
  const texts = [...textsOf(commands), replacedText]
  const shaper = lang === 'ar' || !texts.every(isPlain) ? await loadShaper() : undefined
  const fonts = new Fonts(doc, hanOf(lang, texts), shaper)
  const page = pageOf(doc, fonts, root, lang === 'ar')
  replay(commands, page)
  if (fonts.replaced.size > 0) page.text(replacedText, { size: 8, muted: true })
  root.end()
  doc.end()
  return { file: await done, replaced: [...fonts.replaced] }
}

function attach(doc: Doc, { content, metadata, ...about }: PdfAttachment, at: Date): void {
  doc.file(Buffer.from(content), { ...about, creationDate: at, modifiedDate: at })
  ;(doc as unknown as WithMetadata).appendXML(metadata)
}

/** Writes the metadata as XML escapes it: pdfkit writes titles and names as they are, so one with `&` made metadata that nobody can read. */
function escapeMetadata(doc: WithMetadata): void {
  const addInfo = doc._addInfo
  doc._addInfo = () => {
    const { info } = doc
    doc.info = Object.fromEntries(
      Object.entries(info).map(([name, value]) => [name, typeof value === 'string' ? escapeXml(value) : value]),
    )
    addInfo.call(doc)
    doc.info = info
  }
}
