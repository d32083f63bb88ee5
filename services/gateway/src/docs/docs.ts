import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assets as payAssets } from '@payments/pay'
import { tokens } from '@payments/pay-page'
import { errors } from '../operations/errors.ts'
import type { Gateway } from '../operations/state.ts'
import { DOCS_POLICY } from './layout.ts'
import { type StoredPage, storedPages } from './pages.ts'
import { digestAddress, type StaticFile, sendCompressed, sendStatic, serveStatic, staticFile } from './static-files.ts'

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const pictures = fileURLToPath(new URL('../../../../docs/guides/', import.meta.url))
const own = fileURLToPath(new URL('../../assets/', import.meta.url))
const ASSETS: Record<string, { directory: string; type: string }> = {
  'swagger-ui.css': { directory: swagger, type: 'text/css' },
  'swagger-ui-bundle.js': { directory: swagger, type: 'text/javascript' },
  'guides.js': { directory: own, type: 'text/javascript' },
  'swagger.js': { directory: own, type: 'text/javascript' },
  'try-it.js': { directory: own, type: 'text/javascript' },
  'pay-page.png': { directory: pictures, type: 'image/png' },
  'icon.svg': { directory: own, type: 'image/svg+xml' },
}

/**
 * Serves the documentation without external assets: the guides at `/docs`, as pages and as Markdown; the OpenAPI documents
 * and their interactive references; `/llms.txt`. `baseUrl` is called when a page is first read: the port may be known only then.
 */
export function mountDocs(router: Gateway, baseUrl: () => string): void {
  router.use('/docs', async (ctx, next) => {
    ctx.set('Content-Security-Policy', DOCS_POLICY)
    await next()
  })
  const pages = storedPages(baseUrl)
  for (const page of pages) if (!isOfReference(page.path)) serveStatic(router, page.path, page)
  for (const root of REFERENCES) mountReference(router, root, pages)
  router.get('/docs/search', async (ctx) => {
    const { searchPage } = await import('./search.ts')
    await sendCompressed(ctx, searchPage(new URLSearchParams(ctx.querystring).get('q') ?? ''))
    ctx.type = 'text/html'
  })
}

const REFERENCES = ['/docs/reference', '/docs/operators']
const isOfReference = (path: string): boolean => REFERENCES.some((root) => path === root || path.startsWith(`${root}/`))

/** Serves the pages of a reference: its index, each operation, its errors and events. An address without a page is a 404 like any other. */
function mountReference(router: Gateway, root: string, pages: readonly StoredPage[]): void {
  const stored = new Map(pages.map((page) => [page.path, page]))
  const read = new Map<string, Promise<StaticFile>>()
  router.get([root, `${root}/:name`], async (ctx) => {
    const { name = '' } = ctx.params as { name?: string }
    const path = name === '' ? root : `${root}/${name}`
    const page = stored.get(path)
    if (!page) throw errors.not_found()
    const file =
      read.get(path) ??
      page.content().then(staticFile, (error: unknown) => {
        read.delete(path)
        throw error
      })
    read.set(path, file)
    await sendStatic(ctx, await file)
    ctx.type = page.type
    ctx.set('Cache-Control', 'no-cache')
  })
}

/** Serves the styles and scripts of pages: of the documentation, and of the pay page, which other sites may include. */
export function mountAssets(router: Gateway): void {
  for (const { path, type, read } of payAssets)
    serveStatic(router, path, { type, cacheSeconds: 300, anyOrigin: true, content: read })
  serveStatic(router, '/docs/guides.css', {
    type: 'text/css',
    cacheSeconds: 3600,
    content: async () => tokens + (await readFile(join(own, 'guides.css'), 'utf8')),
  })
  for (const [name, { directory, type }] of Object.entries(ASSETS))
    serveStatic(router, `/docs/${name}`, { type, cacheSeconds: 3600, content: () => readFile(join(directory, name)) })
}

const addresses = new Map<string, string>()

/** The address of a script of the pay page, which changes with its content. */
export function scriptAddress(path: string): string {
  const known = addresses.get(path)
  if (known !== undefined) return known
  const script = payAssets.find((each) => each.path === path)
  if (!script) throw new Error(`There is no script ${path}`)
  const address = digestAddress(path, script.read())
  addresses.set(path, address)
  return address
}
