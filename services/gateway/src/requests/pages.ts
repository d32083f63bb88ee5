import type { Process } from '@payments/api'
import { domainsOf, type Page, type PageReply, type PageRequest, type Runtime } from '@payments/platform'
import type Koa from 'koa'
import { scriptAddress } from '../docs/docs.ts'
import { errorPage } from '../docs/error-page.ts'
import { sendCompressed } from '../docs/static-files.ts'
import { parseBody, readBody } from '../http/body.ts'
import { clientLeft } from '../http/connections/connections.ts'
import { sendEtag } from '../http/download.ts'
import type { Failure } from '../http/envelope.ts'
import { isPage, patternOf } from '../http/paths.ts'
import type { Gateway, State } from '../operations/state.ts'

type Context = Koa.ParameterizedContext<State>

/** Mounts the pages outside `/v1` that domains declare. */
export function mountPages(router: Gateway, { runtime }: Process): void {
  for (const page of pagesOf(runtime)) {
    router.register(page.path.replace(/\{(\w+)\}/g, ':$1'), [page.method], async (ctx) => {
      const reply = await page.respond(runtime, requestOf(ctx, ctx.params))
      ctx.status = reply.status ?? 200
      await send(ctx, reply)
      if (page.anyOrigin) ctx.set('Access-Control-Allow-Origin', '*')
    })
  }
}

/**
 * Shows a failure to a browser that asked for a page, in place of the envelope: on a page of a domain as that says it, elsewhere with the
 * way to the documentation. Returns false for the API, and for a client that prefers JSON.
 */
export function failedPages(runtime: Runtime): (ctx: Context, failure: Failure) => Promise<boolean> {
  const pages = pagesOf(runtime).map((page) => ({ page, pattern: patternOf(page.path) }))
  return async (ctx, { status, retryAfter, message }) => {
    if (!isPage(ctx.path) || !['GET', 'HEAD'].includes(ctx.method)) return false
    ctx.vary('Accept')
    if (ctx.accepts('json', 'html') !== 'html') return false
    for (const { page, pattern } of pages) {
      const params = pattern.exec(ctx.path)?.groups
      if (!params || !page.failed) continue
      await send(ctx, page.failed({ status, retryAfter }, requestOf(ctx, params)))
      return true
    }
    await send(ctx, errorPage({ status, message, retryAfter }))
    return true
  }
}

/** Paths of the documents that are made for whoever asks. */
export const documentPaths = (runtime: Runtime): readonly RegExp[] =>
  pagesOf(runtime).flatMap(({ document, path }) => (document ? [patternOf(path)] : []))

const pagesOf = (runtime: Runtime): Page[] => domainsOf(runtime).flatMap(({ api }) => api?.pages ?? [])

const requestOf = (ctx: Context, params: PageRequest['params']): PageRequest => ({
  params,
  query: new URLSearchParams(ctx.querystring),
  header: (name) => ctx.get(name) || undefined,
  script: scriptAddress,
  body: async () => parseBody(await readBody(ctx.req), ctx.req.headers),
  signal: () => clientLeft(ctx.res),
  log: ctx.state.log,
})

async function send(ctx: Context, { type, body, etag, headers, framed }: PageReply): Promise<void> {
  // Browsers that know frame-ancestors ignore this header, but not all do.
  if (framed) ctx.remove('X-Frame-Options')
  for (const [name, value] of Object.entries(headers ?? {})) ctx.set(name, value)
  if (type === 'text/html') await sendCompressed(ctx, body)
  else ctx.body = body
  ctx.type = type
  if (etag) sendEtag(ctx, body)
}
