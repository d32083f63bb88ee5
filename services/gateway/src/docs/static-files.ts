import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type Koa from 'koa'
import type { Gateway } from '../operations/state.ts'

/** Content in each encoding, made once, when the first client wants it. */
export interface StaticFile {
  readonly etag: string
  body(encoding: Encoding): Promise<Buffer>
}

type Encoding = 'br' | 'gzip' | 'identity'

const zip = promisify(gzip)
const brotli = promisify(brotliCompress)

/** How the client wants it, the smallest first. The reply depends on `Accept-Encoding` from now on. */
function encodingOf(ctx: Koa.ParameterizedContext): Encoding {
  ctx.vary('Accept-Encoding')
  // Browsers list gzip first, at equal weights: the choice is ours.
  const accepted = (['br', 'gzip'] as const).find((each) => ctx.acceptsEncodings(each) === each)
  const encoding = accepted ?? 'identity'
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding)
  return encoding
}

/** Content as the client wants it. `thorough`: for what is compressed once and sent often. */
async function compressed(content: Buffer, encoding: Encoding, thorough: boolean): Promise<Buffer> {
  if (encoding === 'gzip') return zip(content, { level: thorough ? 9 : 6 })
  if (encoding === 'br') return brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: thorough ? 9 : 4 } })
  return content
}

/**
 * Sends a page that was written for one request, compressed.
 *
 * BREACH reads a secret from the length of compressed replies: it needs replies that hold a secret of the victim beside text of
 * the attacker's. No page has one: pages ignore cookies and credentials, so the attacker reads at the same address whatever the
 * victim does. Replies of the API, which have secrets, are never compressed.
 */
export async function sendCompressed(ctx: Koa.ParameterizedContext, body: string | Buffer): Promise<void> {
  ctx.body = await compressed(Buffer.from(body), encodingOf(ctx), false)
}

/**
 * Serves content that does not change while the process runs. It is read and compressed once, and every reply sends the same
 * buffer, so that clients that read slowly cost no memory of their own.
 */
export function serveStatic(
  router: Gateway,
  path: string,
  file: {
    readonly type: string
    readonly cacheSeconds?: number
    readonly anyOrigin?: boolean
    content(): Promise<string | Buffer> | string | Buffer
  },
): void {
  let loading: Promise<StaticFile> | undefined
  const load = async (): Promise<StaticFile> => staticFile(await file.content())
  router.get(path, async (ctx) => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    await sendStatic(ctx, await loading)
    ctx.type = file.type
    if (file.anyOrigin) {
      ctx.set('Access-Control-Allow-Origin', '*')
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    }
    const { etag } = await loading
    ctx.set('Cache-Control', cacheControl(ctx.query.v === etag.slice(1, -1), file.cacheSeconds))
  })
}

const YEAR = 31_536_000

/** Content under the address of its digest never changes. Of another digest, an older or newer process answers another content. */
const cacheControl = (isDigest: boolean, seconds: number | undefined): string =>
  isDigest ? `public, max-age=${YEAR}, immutable` : seconds ? `public, max-age=${seconds}` : 'no-cache'

/** What stands for content in addresses and tags. */
const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('base64url').slice(0, 27)

/** The address of a file with the digest of its content, under which it is kept for a year. */
export const digestAddress = (path: string, content: Buffer): string => `${path}?v=${digestOf(content)}`

/** Content that is sent often. */
export function staticFile(content: string | Buffer): StaticFile {
  const plain = Buffer.from(content)
  const bodies = new Map<Encoding, Promise<Buffer>>()
  return {
    etag: `"${digestOf(plain)}"`,
    body(encoding) {
      const body =
        bodies.get(encoding) ??
        compressed(plain, encoding, true).catch((error: unknown) => {
          bodies.delete(encoding)
          throw error
        })
      bodies.set(encoding, body)
      return body
    },
  }
}

/** Sends a file, or a 304 to a client that has it. */
export async function sendStatic(ctx: Koa.ParameterizedContext, { etag, body }: StaticFile): Promise<void> {
  ctx.set('ETag', etag)
  ctx.status = 200
  const encoding = encodingOf(ctx)
  if (ctx.fresh) ctx.status = 304
  else ctx.body = await body(encoding)
}
