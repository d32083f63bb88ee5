import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tokens } from '@payments/design'
import { assets as payAssets } from '@payments/pay'
import type { Audience } from '../openapi/document.ts'
import { errors } from '../operations/errors.ts'
import type { Gateway } from '../operations/state.ts'
import { guidePage } from './guides/guide-page.ts'
import { DIRECTORY, guideMarkdown, guides } from './guides/guides.ts'
import { DOCS_POLICY } from './layout.ts'
import type { Interface } from './reference/described.ts'
import { digestAddress, type StaticFile, sendCompressed, sendStatic, serveStatic, staticFile } from './static-files.ts'
import { swaggerPage } from './swagger-page.ts'

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const own = fileURLToPath(new URL('../../assets/', import.meta.url))
const ASSETS: Record<string, { directory: string; type: string }> = {
  'swagger-ui.css': { directory: swagger, type: 'text/css' },
  'swagger-ui-bundle.js': { directory: swagger, type: 'text/javascript' },
  'guides.js': { directory: own, type: 'text/javascript' },
  'swagger.js': { directory: own, type: 'text/javascript' },
  'try-it.js': { directory: own, type: 'text/javascript' },
  'pay-page.png': { directory: DIRECTORY, type: 'image/png' },
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
  for (const guide of guides()) {
    serveStatic(router, guide.path, { type: 'text/html', content: () => guidePage(guide, baseUrl()) })
    serveStatic(router, `${guide.path}.md`, { type: 'text/markdown', content: () => guideMarkdown(guide, baseUrl()) })
  }
  // What writes the documents is loaded with the first that is read: most processes serve none.
  const document = (audience: Audience) => ({
    type: 'application/json',
    content: async () => JSON.stringify((await import('../openapi/derived.ts')).derivedDocument(audience)),
  })
  serveStatic(router, '/v1/openapi.json', document('merchants'))
  serveStatic(router, '/docs/operators.json', document('operators'))
  for (const [path, title, source] of [
    ['/docs/swagger', 'Swagger UI', '/v1/openapi.json'],
    ['/docs/swagger/operators', 'Swagger UI for operators', '/docs/operators.json'],
  ] as const)
    serveStatic(router, path, { type: 'text/html', content: () => swaggerPage(title, source) })
  mountReference(router, '/docs/reference', 'merchants', baseUrl)
  mountReference(router, '/docs/operators', 'operators', baseUrl)
  router.get('/docs/search', async (ctx) => {
    const { searchPage } = await import('./search.ts')
    await sendCompressed(ctx, searchPage(new URLSearchParams(ctx.querystring).get('q') ?? ''))
    ctx.type = 'text/html'
  })
  serveStatic(router, '/llms.txt', {
    type: 'text/plain',
    content: async () => {
      const [{ llmsText }, { derivedDocument }] = await Promise.all([
        import('./llms.ts'),
        import('../openapi/derived.ts'),
      ])
      return llmsText(derivedDocument('merchants'))
    },
  })
}

/**
 * Serves the pages of a reference: its index, each operation, its errors and events. A page is written when it is first read, and
 * an address without a page is a 404 like any other.
 */
function mountReference(router: Gateway, root: Interface['root'], audience: Audience, baseUrl: () => string): void {
  const written = new Map<string, Promise<StaticFile>>()
  router.get([root, `${root}/:name`], async (ctx) => {
    const { name = '' } = ctx.params as { name?: string }
    const { referencePage } = await import('./reference/index.ts')
    const page = written.get(name) ?? referencePage(audience, name, baseUrl())?.then(staticFile)
    if (!page) throw errors.not_found()
    written.set(name, page)
    await sendStatic(ctx, await page)
    ctx.type = 'text/html'
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
