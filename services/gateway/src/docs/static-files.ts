import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type Koa from 'koa'
import type { Gateway } from '../requests/state.ts'

interface StaticFile {
  readonly etag: string
  readonly plain: Buffer
  readonly compressed: Buffer
}

export const compress = promisify(gzip)

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
  const load = async (): Promise<StaticFile> => {
    const plain = Buffer.from(await file.content())
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`
    return { etag, plain, compressed: await compress(plain, { level: 9 }) }
  }
  router.get(path, async (ctx) => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    send(ctx, await loading)
    ctx.type = file.type
    if (file.anyOrigin) {
      ctx.set('Access-Control-Allow-Origin', '*')
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    }
    ctx.set('Cache-Control', file.cacheSeconds ? `public, max-age=${file.cacheSeconds}` : 'no-cache')
  })
}

function send(ctx: Koa.Context, { etag, plain, compressed }: StaticFile): void {
  ctx.set('ETag', etag)
  ctx.vary('Accept-Encoding')
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const zipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (zipped) ctx.set('Content-Encoding', 'gzip')
  ctx.body = zipped ? compressed : plain
}
